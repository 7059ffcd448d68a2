"""From Python text and builders to checked procedures: the only way to make IR beside the operators."""
