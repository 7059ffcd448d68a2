"""What programs do: linear forms, formulas, the solver, effects, contexts and the conditions of rewrites."""
