"""The argument generators of all operators, by the operator's name."""

from __future__ import annotations

from tests.fuzz import (
    actions,
    actions_config,
    actions_library,
    actions_producers,
    actions_recompute,
    actions_storage,
    scans,
    searches,
)
from tests.fuzz.actions import Propose
from tests.fuzz.actions_statements import STATEMENT_ACTIONS

REGISTERED = (actions_config, actions_library, actions_producers, actions_recompute, actions_storage, scans, searches)
"""Modules that add to `actions.ACTIONS` when they are imported."""

ACTIONS: dict[str, Propose] = {**actions.ACTIONS, **STATEMENT_ACTIONS}
