"""Whether another layout of buffers makes the iterations of a parallel loop meet."""

from __future__ import annotations

from usl_core.analysis.conditions import Conflict
from usl_core.analysis.context import Context
from usl_core.analysis.parallel import race_free
from usl_core.cursors.path import Path, get_stmt, stmt_list, stmt_path
from usl_core.cursors.path import BlockLoc
from usl_core.ir.nodes import For, LoopMode, Proc
