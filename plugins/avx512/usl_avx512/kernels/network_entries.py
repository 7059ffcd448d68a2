"""The C functions that the kernels of networks are: their parameters, by their names."""

from __future__ import annotations

ROWS = "int64_t R, int64_t N, "
HEADS = "const float *scale, const float *q, const float *k, const float *v, float *out"
HEADS_BF16 = "const float *scale, const uint16_t *q, const uint16_t *k, const uint16_t *v, uint16_t *out"
ENTRIES = {
    **dict.fromkeys(("softmax", "log_softmax", "cumsum"), ROWS + "const float *x, float *y"),
    "cross_entropy": ROWS + "const float *x, const int64_t *target, float *loss",
    "argmax": ROWS + "const float *x, int64_t *position",
    **dict.fromkeys(("row_sums", "row_maxima"), ROWS + "const float *x, float *y"),
    "compress": "int64_t N, const float *x, const uint8_t *keep, float *y, int64_t *count",
    "layer_norm": ROWS + "const float *eps, const float *x, const float *weight, const float *bias, float *y",
    "rms_norm": ROWS + "const float *eps, const float *x, const float *weight, float *y",
    **dict.fromkeys(("silu", "sigmoid", "gelu", "gelu_tanh"), "int64_t N, const float *x, float *y"),
    "from_bf16": "int64_t N, const uint16_t *x, float *y",
    "to_bf16": "int64_t N, const float *x, uint16_t *y",
    **dict.fromkeys(("attention", "attention_of_few"), f"int64_t H, int64_t M, int64_t N, {HEADS}"),
    "causal_attention": f"int64_t H, int64_t B, {HEADS}",
    "attention_bf16": f"int64_t H, int64_t M, int64_t N, {HEADS_BF16}",
    "causal_attention_bf16": f"int64_t H, int64_t B, {HEADS_BF16}",
    **dict.fromkeys(("attention_by_rows", "causal_attention_by_rows"), f"int64_t H, int64_t M, int64_t N, int64_t E, {HEADS}"),
}
"""The C functions, and their parameters. Each returns 0, or a status where there is no memory."""

POOLING = {
    "pool": "int64_t B, int64_t H, int64_t W, const float *x, float *y",
    "pool_channels_last": "int64_t B, int64_t H, int64_t W, int64_t C, const float *x, float *y",
}
"""The parameters of kernels of pooling."""
