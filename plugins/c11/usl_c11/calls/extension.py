"""The CPython extension `usl_entry`, compiled from `entry.c` when it is first needed, and kept in the build cache.

It needs the headers of Python and of NumPy and a C compiler, once; where they are missing, calls are checked in Python.
"""

from __future__ import annotations

import functools
import sys
from importlib import resources
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from typing import Any

from usl_c11.cache import compiled, remembered
from usl_c11.compiler import find_compiler
from usl_core import probe
from usl_core.errors import JitError

NAME = "usl_entry"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-shared")


@functools.cache
def entry_type() -> Any:
    """The type `Entry` of the extension; None where it cannot be had."""
    if sys.implementation.name != "cpython" or probe.hidden("Python.h"):
        return None
    import numpy as np

    headers = f"{EXTENSION_SUFFIXES[0]}, Python {sys.version.split()[0]}, NumPy {np.__version__}"
    source = resources.files("usl_c11").joinpath("calls", "entry.c").read_text(encoding="utf-8") + f"/* {headers} */\n"
    try:
        path = remembered([source], lambda: _compiled(source))  # no compiler is needed where it is there already
        loader = ExtensionFileLoader(NAME, str(path))
        spec = spec_from_loader(NAME, loader)
        assert spec is not None
        module = module_from_spec(spec)
        loader.exec_module(module)
    except (JitError, ImportError, OSError):
        return None
    probe.found.add("Python.h")
    return module.Entry


def _compiled(source: str) -> Path:
    import sysconfig

    import numpy as np

    folders = dict.fromkeys([sysconfig.get_path("include"), sysconfig.get_path("platinclude"), np.get_include()])
    if not any(Path(folder, "Python.h").is_file() for folder in folders):
        raise JitError("Python.h is not installed")
    undefined = ("-undefined", "dynamic_lookup") if sys.platform == "darwin" else ()
    includes = (f"-I{folder}" for folder in folders)
    return compiled({f"{NAME}.c": source}, find_compiler(), (*FLAGS, *undefined, *includes))
