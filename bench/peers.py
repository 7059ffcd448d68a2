"""The hand-written libraries that kernels are compared with, loaded as shared libraries on one thread.

OpenBLAS chooses its kernels by the processor's model and takes slow ones for models it does not know, so that its fastest ones
are asked for by name. That variable, and the absence of all others, has to be in place before the library is loaded:
`bench.versus.run_pinned` sees to it.
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

LIBRARIES = Path(sys.prefix) / "lib"
"""Where packages put libraries that are not Python's."""
ENVIRONMENT = {
    "OPENBLAS_CORETYPE": "SkylakeX",
    "MKL_THREADING_LAYER": "SEQUENTIAL",
    "LD_LIBRARY_PATH": str(LIBRARIES),  # where oneDNN looks for what it is linked with
}
"""What the process that loads peers has in its environment."""

GNU_THREADS = 3
"""MKL_THREADING_GNU of its header."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A loaded library whose C names are prefix + the standard name; version is what it says of itself."""

    name: str
    library: ctypes.CDLL
    prefix: str
    version: str

    def address(self, function: str) -> int:
        """Where a function is, say `cblas_sgemm`; AttributeError if the library has none."""
        found = ctypes.cast(getattr(self.library, self.prefix + function), ctypes.c_void_p).value
        assert found is not None
        return found


def openblas(threads: int = 1) -> Peer:
    """OpenBLAS with the kernels of ENVIRONMENT, on so many threads, from the package scipy-openblas32.

    Raises:
        ImportError: the package is not installed. RuntimeError: the environment is not ENVIRONMENT's.
    """
    _require_environment()
    spec = importlib.util.find_spec("scipy_openblas32")
    if spec is None or spec.origin is None:
        raise ImportError("scipy-openblas32 is not installed")
    library = ctypes.CDLL(str(Path(spec.origin).parent / "lib" / "libscipy_openblas.so"), ctypes.RTLD_LOCAL)
    library.scipy_openblas_set_num_threads(threads)
    library.scipy_openblas_get_config.restype = ctypes.c_char_p
    library.scipy_openblas_get_corename.restype = ctypes.c_char_p
    config = library.scipy_openblas_get_config().decode().split()
    return Peer("OpenBLAS", library, "scipy_", f"{' '.join(config[:2])} {library.scipy_openblas_get_corename().decode()}")


def mkl(threads: int = 1) -> Peer:
    """MKL, from the package mkl: its sequential layer, or for several threads the one on GNU's OpenMP.

    Raises:
        ImportError: the package is not installed. RuntimeError: the environment is not ENVIRONMENT's.
    """
    _require_environment()
    found = sorted(LIBRARIES.glob("libmkl_rt.so*"))
    if not found:
        raise ImportError("mkl is not installed")
    library = ctypes.CDLL(str(found[-1]), ctypes.RTLD_LOCAL)
    if threads > 1:
        library.MKL_Set_Threading_Layer(GNU_THREADS)
        library.MKL_Set_Num_Threads(threads)
    text = ctypes.create_string_buffer(200)
    library.mkl_get_version_string(text, 200)
    return Peer("MKL", library, "", text.value.decode().strip())


def blis() -> Peer:
    """BLIS on one thread with the kernels that it chooses, from Debian's package libblis4-serial: installed, or unpacked in a
    folder that USL_BLIS_FOLDER names.

    Raises:
        ImportError: it is in neither. RuntimeError: the environment is not ENVIRONMENT's.
    """
    _require_environment()
    folders = [Path(os.environ.get("USL_BLIS_FOLDER", "/nowhere")), Path("/usr/lib")]
    found = [file for folder in folders for file in sorted(folder.rglob("blis-serial/libblis.so.4"))]
    if not found:
        raise ImportError("libblis4-serial is not installed")
    library = ctypes.CDLL(str(found[0]), ctypes.RTLD_LOCAL | os.RTLD_DEEPBIND)
    library.bli_info_get_version_str.restype = ctypes.c_char_p
    return Peer("BLIS", library, "", f"BLIS {library.bli_info_get_version_str().decode()}")


class _Version(ctypes.Structure):
    """The beginning of `dnnl_version_t`."""

    _fields_ = tuple((part, ctypes.c_int) for part in ("major", "minor", "patch"))


def onednn(most: str = "DEFAULT") -> Peer:
    """oneDNN, from the package onednn, with instruction sets up to most, as DNNL_MAX_CPU_ISA calls them.

    Its threads are as many as there are processors that this one may run on when it is loaded: see `bench.versus.pin`.

    Raises:
        ImportError: the package is not installed. RuntimeError: the environment is not ENVIRONMENT's.
    """
    _require_environment()
    found = sorted(LIBRARIES.glob("libdnnl.so*"))
    if not found:
        raise ImportError("onednn is not installed")
    os.environ["DNNL_MAX_CPU_ISA"] = most
    library = ctypes.CDLL(str(found[-1]), ctypes.RTLD_LOCAL)
    library.dnnl_version.restype = ctypes.POINTER(_Version)
    version = library.dnnl_version().contents
    return Peer("oneDNN", library, "dnnl_", f"oneDNN {version.major}.{version.minor}.{version.patch} {most}")


def available(*loaders: Callable[[], Peer]) -> tuple[list[Peer], list[str]]:
    """The peers that could be loaded, and for each other one why not."""
    peers, missing = [], []
    for loader in loaders:
        try:
            peers.append(loader())
        except (ImportError, OSError) as error:
            missing.append(f"{loader.__name__}: {error}")
    return peers, missing


def _require_environment() -> None:
    wrong = [name for name, value in ENVIRONMENT.items() if os.environ.get(name) != value]
    wrong += [name for name in os.environ if name.startswith("OPENBLAS_") and name not in ENVIRONMENT]
    if wrong:
        raise RuntimeError(f"peers are to be loaded by bench.versus.run_pinned; the environment has other settings: {wrong}")
