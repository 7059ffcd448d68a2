"""How long scheduling takes: schedules of five shapes, and curves of single operators on procedures that grow."""
