"""`usl verify FILE[:PROC]`: the schedule runs again in a fresh process, and every obligation is proved anew.

A Procedure exists only where its operators have proved their conditions, so running the schedule again is the replay; what
must not be trusted is what an earlier process remembered.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from usl_core.errors import UslError

_CHILD = "from usl_core.cli.verify import replay; replay()"


def verify_text(place: str, *, as_json: bool) -> str:
    """Replays in a child process and reports.

    Raises:
        UslError: the file cannot be run, or an obligation is not proved; the message is the child's.
    """
    # No -I: the child must find the same packages as this process.
    child = subprocess.run([sys.executable, "-c", _CHILD, place], capture_output=True, text=True, check=False)
    if child.returncode != 0:
        raise UslError(child.stderr.strip() or f"the replay ended with status {child.returncode}")
    found: list[dict[str, Any]] = json.loads(child.stdout.splitlines()[-1])
    if as_json:
        return json.dumps(found, indent=2)
    return "\n".join(_line(entry) for entry in found)


def _line(entry: dict[str, Any]) -> str:
    total: dict[str, int] = {}
    for step in entry["steps"]:
        for how, count in step["proofs"].items():
            total[how] = total.get(how, 0) + count
    proofs = ", ".join(f"{count} {how}" for how, count in total.items()) or "none needed"
    return f"{entry['procedure']}: {len(entry['steps']) - 1} steps replayed, {entry['assurance']} (obligations: {proofs})"


def replay() -> None:
    """What the child does: caches off, run the file, check the results as a whole, print JSON as the last line."""
    from usl_core.analysis.last_check import last_check
    from usl_core.analysis.solver import disable_cache
    from usl_core.cli.history import as_data, find_procedure, split_place
    from usl_core.cli.messages import message
    from usl_core.cli.modules import exported, import_file
    from usl_core.store.shelf import switch_off

    disable_cache()
    switch_off()
    try:
        file, name = split_place(sys.argv[1])
        module = import_file(file)
        procedures = [find_procedure(module, name)] if name is not None else exported(module)
        with last_check([procedure.ir for procedure in procedures]):
            pass
    except (Exception, KeyboardInterrupt) as error:  # whatever the file raises, the parent shows one message
        print(message(error), file=sys.stderr)
        raise SystemExit(1) from None
    print(json.dumps([as_data(p) for p in procedures]))
