"""The worst error of every function in lanes, and whether vectors and plain C give the same bits: `make fuzz WHAT=functions`.

All f32 are tried, some minutes for each function, 10^9 pairs of them for pow, and 10^8 f64; `--step 61` a 61st of that, and
`--only exp_ps,log_pd` some functions. Exit status 1 if an error is above 1 ulp (2 for pow) or a bit differs.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from usl_avx512.functions.lanes import procedures
from usl_avx512.isa.function_texts import FILE, function_texts
from usl_c11.emit import library
from usl_core.scheduling import set_window

PAIRS, NUMBERS = 10**9, 10**8
"""Of f32 for pow, and of f64."""
REFERENCES = {"sigmoid": "1 / (1 + F(exp)(-x))", "rsqrt": "1 / F(sqrt)(x)", "pow": "F(pow)(x, z)"}
FLAGS = ("-O3", "-std=c11", "-D_GNU_SOURCE", "-ffp-contract=off", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mfma", "-w")


def check(name: str, step: int, seed: int, folder: Path) -> bool:
    """Print the worst error of a function; whether it is all right."""
    plain, typ = procedures()[f"usl_avx512_{name}"]
    for operand in [arg.name() for arg in plain.args() if arg.is_tensor()]:
        plain = set_window(plain, operand, False)
    for file, text in library([plain.ir], f"plain_{name}", entry_checks=False).files.items():
        (folder / file).write_text(text, encoding="utf-8")
    function, pairs = name.split("_")[0], name.startswith("pow")
    words = [f"-DNAME={function}", f"-DREFERENCE={REFERENCES.get(function, f'F({function})(x)')}", f"-DSTEP={step}"]
    words += [f"-DLIMIT={2.0 if pairs else 1.0}", f"-I{FILE.parent}", *(["-DTWO"] if pairs else [])]
    driver = "functions_f64.c" if typ == "f64" else "functions_pow.c" if pairs else "functions_f32.c"
    sources = [str(Path(__file__).with_name(driver)), str(folder / f"plain_{name}.c")]
    program = str(folder / name)
    subprocess.run(["cc", *FLAGS, *words, *sources, "-o", program, "-lmvec", "-lm"], check=True)
    random = [str((NUMBERS if typ == "f64" else PAIRS) // step), str(seed)] if typ == "f64" or pairs else []
    done = subprocess.run([program, *random], capture_output=True, text=True, check=False)
    print(f"{name}: {done.stdout.strip()}", flush=True)
    return done.returncode == 0


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=0, help="of random arguments")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",") if arguments.only else [name.removeprefix("usl_avx512_") for name in function_texts()]
    with tempfile.TemporaryDirectory() as folder:
        good = [check(function, arguments.step, arguments.seed, Path(folder)) for function in wanted]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
