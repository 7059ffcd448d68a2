"""A user-schedulable language: plain loop nests, rewritten by operators that provably keep their meaning."""
