"""What `usl plugins` sees of this package: that it is here. It is a library, used by `from usl_stdlib import vectorize`."""

from __future__ import annotations

USL_API = 1
