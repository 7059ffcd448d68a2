"""Steps that must be refused, each with a proof that accepting it would be wrong, and steps that must be accepted."""
