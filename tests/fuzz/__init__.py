"""Random programs and steps. They are to run the operators, so that calls of earlier runs are not taken from the store."""

import os

os.environ.setdefault("USL_STORE", "off")
