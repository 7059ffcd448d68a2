"""The worst error of every function on f32, and whether vectors and plain C give the same bits: `make fuzz WHAT=functions`.

`--step 1` tries all 2^32 arguments, some minutes for each function; `--only exp,log` some functions. Exit status 1 if an
error is above 1 ulp or a bit differs.
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

DRIVER = Path(__file__).with_name("functions_f32.c")
REFERENCES = {"sigmoid": "1 / (1 + F(exp)(-x))", "rsqrt": "1 / sqrt(x)"}
FLAGS = ("-O3", "-std=c11", "-D_GNU_SOURCE", "-ffp-contract=off", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mfma", "-w")


def check(function: str, step: int, folder: Path) -> bool:
    """Print the worst error of a function; whether it is all right."""
    plain, _ = procedures()[f"usl_avx512_{function}_ps"]
    for operand in "xy":
        plain = set_window(plain, operand, False)
    for name, text in library([plain.ir], f"plain_{function}", entry_checks=False).files.items():
        (folder / name).write_text(text, encoding="utf-8")
    reference = REFERENCES.get(function, f"F({function})(x)")
    words = (f"-DNAME={function}", f"-DREFERENCE={reference}", f"-DSTEP={step}", "-DLIMIT=1.0", f"-I{FILE.parent}")
    program = folder / function
    subprocess.run(
        ["cc", *FLAGS, *words, str(DRIVER), str(folder / f"plain_{function}.c"), "-o", str(program), "-lmvec", "-lm"],
        check=True,
    )
    done = subprocess.run([str(program)], capture_output=True, text=True, check=False)
    print(f"{function}: {done.stdout.strip()}", flush=True)
    return done.returncode == 0


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", default="")  # nothing is random
    arguments = parser.parse_args()
    functions = [name.split("_")[2] for name in function_texts() if name.endswith("_ps")]
    wanted = arguments.only.split(",") if arguments.only else functions
    with tempfile.TemporaryDirectory() as folder:
        good = [check(function, arguments.step, Path(folder)) for function in wanted]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
