"""`python -m usl_gemmini matmul 512 512 512`: how long a kernel takes, its commands, a picture, its object for RISC-V."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from usl_core import Procedure
from usl_core.errors import UslError
from usl_gemmini.conv import conv
from usl_gemmini.layers import Layer
from usl_gemmini.matmul import matmul
from usl_gemmini.params import DIMENSIONS, GemminiParams
from usl_gemmini.picture import timeline
from usl_gemmini.recording import record
from usl_gemmini.riscv import compile_object
from usl_gemmini.timing import simulate
from usl_gemmini.trace import save


def main(given: Sequence[str] | None = None) -> int:
    """The exit status: 1 if something is refused."""
    chosen = _parser().parse_args(given)
    try:
        _run(chosen)
    except UslError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m usl_gemmini", description="A kernel, on the timing model of a chip.")
    parser.add_argument("kernel", choices=("matmul", "conv"), help="matmul M N K, or conv N H W IC OC KH KW [STEP]")
    parser.add_argument("sizes", type=int, nargs="+", help="its sizes, in the order above")
    parser.add_argument("--bias", choices=("none", "matrix", "row"), default="none", help="of a matmul")
    parser.add_argument("--relu", action="store_true")
    parser.add_argument("--dim", type=int, choices=DIMENSIONS, default=16, help="rows and columns of the array")
    parser.add_argument("--issue", type=int, default=4, help="cycles of the host for a command (default 4)")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="write the commands, as words and decoded")
    parser.add_argument("--timeline", type=Path, metavar="FILE.svg", help="draw what the three controllers do when")
    parser.add_argument("--first", type=int, default=0, metavar="CYCLE", help="where the picture's lower part begins")
    parser.add_argument("--cycles", type=int, metavar="COUNT", help="how many it shows (default 640)")
    parser.add_argument("--object", type=Path, metavar="FOLDER", help="compile for RISC-V; C and header go there too")
    return parser


def _run(chosen: argparse.Namespace) -> None:
    params = GemminiParams(dim=chosen.dim)
    kernel = _kernel(chosen, params)
    trace = record(kernel, params)
    timing = simulate(trace, params, issue=chosen.issue)
    print(timing.summary(), end="")
    if chosen.trace is not None:
        save(trace, params, chosen.trace)
    if chosen.timeline is not None:
        title = f"{chosen.kernel} {' x '.join(map(str, chosen.sizes))}"
        chosen.timeline.write_text(timeline(timing, chosen.first, chosen.cycles, title), encoding="utf-8")
    if chosen.object is not None:
        print(compile_object(kernel, chosen.object, params))


def _kernel(chosen: argparse.Namespace, params: GemminiParams) -> Procedure:
    least, most = (3, 3) if chosen.kernel == "matmul" else (7, 8)
    if not least <= len(chosen.sizes) <= most:
        wanted = least if least == most else f"{least} or {most}"
        raise SystemExit(f"{chosen.kernel} takes {wanted} sizes, got {len(chosen.sizes)}")
    if chosen.kernel == "matmul":
        M, N, K = chosen.sizes
        return matmul(M, N, K, relu=chosen.relu, bias=chosen.bias, params=params)
    return conv(Layer(*chosen.sizes), relu=chosen.relu, params=params)


if __name__ == "__main__":
    raise SystemExit(main())
