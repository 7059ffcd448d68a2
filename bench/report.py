"""Results as JSON, one file per benchmark, with the machine they were measured on."""

from __future__ import annotations

import json
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.toolchain import compiler, run_tool

RESULTS = Path(__file__).parent / "results"


def machine() -> dict[str, Any]:
    """The processor, system and compiler, as far as the system tells."""
    try:
        info = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        info = []
    models = [line.partition(":")[2].strip() for line in info if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor() or platform.machine(),
        "cpus": len(models) or None,
        "system": platform.platform(),
        "python": platform.python_version(),
        "compiler": run_tool([*compiler(), "--version"]).partition("\n")[0],
    }


def write(name: str, result: dict[str, Any], directory: Path = RESULTS) -> Path:
    """Store one benchmark's result as NAME.json; the path written."""
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / f"{name}.json"
    text = json.dumps({"when": datetime.now(UTC).isoformat(timespec="seconds"), "machine": machine(), **result}, indent=2)
    file.write_text(text + "\n", encoding="utf-8")
    return file
