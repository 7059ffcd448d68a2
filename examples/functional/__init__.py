"""Programs in the functional language: the six that its speed is compared with, and ten larger ones."""
