"""From Python source to the core IR: surface syntax, types, patterns, monomorphisation."""
