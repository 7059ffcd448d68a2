"""Write plugins/avx512/usl_avx512/isa/functions.h, the C of functions on registers, from their procedures.

python tools/functions.py           # all of them
python tools/functions.py exp log   # only these, in both types, and those that are not in the file yet
"""

from __future__ import annotations

import sys

from usl_avx512.functions.lanes import write


def main(names: list[str]) -> int:
    """Writes the header and says what is different in it; the exit status."""
    print(", ".join(write(names)) or "nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
