"""Operator calls remembered between processes.

A script that runs again makes the same calls on the same procedures. The first run keeps what each call made: the part of the
tree that changed, the forwarding, the step of the history (`coding`), in a file in the cache folder (`shelf`). The next run
finds it by the digest of the call (`calls`): of the procedure, by what it was made from and how, the operator, its arguments,
and the versions of all that decides (`stamps`). What the shelf holds is trusted as compiled Python in `__pycache__` is; `usl
verify` does without (docs/soundness.md).
"""
