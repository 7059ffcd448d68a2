"""The header of a chip: its parameters, then the public macros."""

from __future__ import annotations

from importlib.resources import files

from usl_gemmini.params import GemminiParams


def source(name: str) -> str:
    """The text of one of this package's C files."""
    return files("usl_gemmini").joinpath("c", name).read_text(encoding="utf-8")


def header(params: GemminiParams) -> str:
    """The text of `params.header_name`: it needs no other file. Two chips cannot be included in one file."""
    figures = {
        "DIM": params.dim,
        "BANK_NUM": params.sp_banks,
        "BANK_ROWS": params.sp_bank_rows,
        "SP_ROWS": params.sp_rows,
        "ACC_BANK_NUM": params.acc_banks,
        "ACC_BANK_ROWS": params.acc_bank_rows,
        "ACC_ROWS": params.acc_rows,
        "GEMMINI_ROW_BITS": params.row_bits,
        "GEMMINI_SUM_BITS": params.sum_bits,
        "MAX_BYTES": params.max_bytes,
        "MAX_BLOCK_LEN": params.max_block_len,
        "MAX_BLOCK_LEN_ACC": params.max_bytes // (4 * params.dim),
    }
    defines = "".join(f"#define {name} {value}\n" for name, value in figures.items())
    return (
        f"/* The header of {params}. */\n#ifndef GEMMINI_PARAMS_HASH\n"
        f"#define GEMMINI_PARAMS_HASH 0x{params.hash:016x}u\n{defines}\n{source('gemmini.h')}\n"
        f"#elif GEMMINI_PARAMS_HASH != 0x{params.hash:016x}\n"
        '#error "two headers of Gemmini with different parameters in one file"\n#endif\n'
    )
