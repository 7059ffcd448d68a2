"""Write functions.h and fours.h in plugins/avx512/usl_avx512/isa, the C of functions on registers, from their procedures.

python tools/functions.py           # all of them
python tools/functions.py exp log   # only these, in both types, and those that are not in the file yet
"""

from __future__ import annotations

import sys

from usl_avx512.functions import fours, lanes


def main(names: list[str]) -> int:
    """Writes the headers and says what is different in them; the exit status."""
    print(", ".join([*lanes.write(names), *fours.write(names)]) or "nothing changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
