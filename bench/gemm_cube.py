"""`python -m bench.gemm_cube`: every matrix product with M, N and K from 0 to 70, in both precisions, against exact sums.

What the tests do for a choice of sizes (plugins/avx512/tests/gemm_driver.c, which says what is checked), for all of them.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from bench.toolchain import compiler, run_tool
from usl_avx512.kernels.gemm import gemm_library

DRIVER = Path(__file__).parents[1] / "plugins" / "avx512" / "tests" / "gemm_driver.c"


def main() -> int:
    failed = 0
    for name, real, exact, unit in (("usl_sgemm", "float", "double", 24), ("usl_dgemm", "double", "long double", 53)):
        with tempfile.TemporaryDirectory() as folder:
            for file, text in gemm_library(name).files.items():
                Path(folder, file).write_text(text, encoding="utf-8")
            defines = [f"-DREAL={real}", f"-DEXACT={exact}", f"-DEPSILON=0x1p-{unit}", f"-DGEMM={name}", f'-DHEADER="{name}.h"']
            program = str(Path(folder, "driver"))
            sources = [str(Path(folder, f"{name}.c")), str(DRIVER)]
            run_tool([*compiler(), "-std=c11", "-O3", "-mavx512f", *defines, f"-I{folder}", *sources, "-o", program, "-lm"])
            print(f"{name}: ", end="", flush=True)
            failed |= subprocess.run([program, "list", ",".join(map(str, range(71)))], check=False).returncode
            failed |= subprocess.run([program, "random", "40", "1300"], check=False).returncode
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
