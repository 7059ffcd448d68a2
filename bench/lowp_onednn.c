
/* oneDNN for bench.lowp: a product or a layer as one primitive, with weights in the layout that it asks for. */
#include <oneapi/dnnl/dnnl.h>
#include <stdio.h>
#include <stdlib.h>

struct onednn {
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    dnnl_exec_arg_t arguments[6];
    int count;
};

const char *onednn_version(void)
{
    static char text[40];
    const dnnl_version_t *version = dnnl_version();
    snprintf(text, sizeof text, "%d.%d.%d", version->major, version->minor, version->patch);
    return text;
}

#define TRY(call)                                                                                                              \
    if ((call) != dnnl_success)                                                                                                \
    return NULL

static dnnl_memory_t rows(dnnl_engine_t engine, dnnl_memory_desc_t *desc, dnnl_data_type_t type, int64_t m, int64_t n, const void *data)
{
    const dnnl_dims_t sizes = {m, n}, strides = {n, 1};
    dnnl_memory_t memory;
    TRY(dnnl_memory_desc_create_with_strides(desc, 2, sizes, type, strides));
    TRY(dnnl_memory_create(&memory, *desc, engine, (void *)data));
    return memory;
}

/* C = A B, or C += A B where ADDS is 1, or with scale (one for each column) the layer max(A B scale + bias, 0); types are dnnl_data_type_t. NULL: refused. */
void *onednn_product(int a_type, int b_type, int c_type, int64_t m, int64_t n, int64_t k, const void *a, const void *b, void *c, const float *scale, const float *bias)
{
    struct onednn *p = calloc(1, sizeof *p);
    dnnl_engine_t engine;
    TRY(dnnl_engine_create(&engine, dnnl_cpu, 0));
    TRY(dnnl_stream_create(&p->stream, engine, dnnl_stream_default_flags));
    dnnl_memory_desc_t a_desc, b_desc, c_desc, any, vector_desc = NULL;
    dnnl_memory_t a_rows = rows(engine, &a_desc, (dnnl_data_type_t)a_type, m, k, a);
    dnnl_memory_t b_rows = rows(engine, &b_desc, (dnnl_data_type_t)b_type, k, n, b);
    dnnl_memory_t c_rows = rows(engine, &c_desc, (dnnl_data_type_t)c_type, m, n, c);
    dnnl_memory_t bias_row = bias == NULL ? NULL : rows(engine, &vector_desc, dnnl_f32, 1, n, bias);
    const dnnl_dims_t sizes = {k, n}, columns = {n};
    TRY(dnnl_memory_desc_create_with_tag(&any, 2, sizes, (dnnl_data_type_t)b_type, dnnl_format_tag_any));
    dnnl_primitive_attr_t attributes;
    TRY(dnnl_primitive_attr_create(&attributes));
    if (bias != NULL) {
        dnnl_post_ops_t after;
        TRY(dnnl_post_ops_create(&after));
        TRY(dnnl_post_ops_append_eltwise(after, dnnl_eltwise_relu, 0, 0));
        TRY(dnnl_primitive_attr_set_post_ops(attributes, after));
    }
    if (scale != NULL)
        TRY(dnnl_primitive_attr_set_scales_mask(attributes, DNNL_ARG_WEIGHTS, 2));
    if (ADDS && bias == NULL) {
        dnnl_post_ops_t after;
        TRY(dnnl_post_ops_create(&after));
        TRY(dnnl_post_ops_append_sum(after, 1, 0, (dnnl_data_type_t)c_type));
        TRY(dnnl_primitive_attr_set_post_ops(attributes, after));
    }
    dnnl_primitive_desc_t description;
    TRY(dnnl_matmul_primitive_desc_create(&description, engine, a_desc, any, vector_desc, c_desc, attributes));
    TRY(dnnl_primitive_create(&p->primitive, description));
    dnnl_memory_t packed;
    TRY(dnnl_memory_create(&packed, dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0), engine, DNNL_MEMORY_ALLOCATE));
    dnnl_primitive_desc_t copying;
    dnnl_primitive_t copy;
    TRY(dnnl_reorder_primitive_desc_create(&copying, b_desc, engine, dnnl_primitive_desc_query_md(description, dnnl_query_weights_md, 0), engine, NULL));
    TRY(dnnl_primitive_create(&copy, copying));
    const dnnl_exec_arg_t from_to[2] = {{DNNL_ARG_FROM, b_rows}, {DNNL_ARG_TO, packed}};
    TRY(dnnl_primitive_execute(copy, p->stream, 2, from_to));
    TRY(dnnl_stream_wait(p->stream));
    p->arguments[p->count++] = (dnnl_exec_arg_t){DNNL_ARG_SRC, a_rows};
    p->arguments[p->count++] = (dnnl_exec_arg_t){DNNL_ARG_WEIGHTS, packed};
    p->arguments[p->count++] = (dnnl_exec_arg_t){DNNL_ARG_DST, c_rows};
    if (bias != NULL)
        p->arguments[p->count++] = (dnnl_exec_arg_t){DNNL_ARG_BIAS, bias_row};
    if (scale != NULL) {
        dnnl_memory_desc_t scale_desc;
        dnnl_memory_t scales;
        TRY(dnnl_memory_desc_create_with_tag(&scale_desc, 1, columns, dnnl_f32, dnnl_a));
        TRY(dnnl_memory_create(&scales, scale_desc, engine, (void *)scale));
        p->arguments[p->count++] = (dnnl_exec_arg_t){DNNL_ARG_ATTR_SCALES | DNNL_ARG_WEIGHTS, scales};
    }
    return p;
}

void run_onednn(void *state)
{
    const struct onednn *p = state;
    dnnl_primitive_execute(p->primitive, p->stream, p->count, p->arguments);
    dnnl_stream_wait(p->stream);
}
