"""What neural networks are made of, from plain loops: softmax, attention, norms, activations, as derivations and schedules.

`kernels_networks` has the loops, `online` derives the forms that read their input once, `usl_avx512.kernels` calls the kernels.
"""
