"""Memories whose buffers are placed all at once, when C is made: `PlacedMemory` is what a target derives from, `place` what a
backend calls. docs/targets.md shows both."""

from usl_core.placement.memory import PlacedMemory
from usl_core.placement.places import Placed, Placement, place, place_known
from usl_core.placement.unwritten import require_written

__all__ = ["Placed", "PlacedMemory", "Placement", "place", "place_known", "require_written"]
