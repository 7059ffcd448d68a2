/* oneDNN as PyTorch calls it, for bench.conv: convolution and ReLU in one primitive, weights in the layout that it asked for.
 *
 * `_convolution_pointwise` looks for the primitive in a cache each time; `conv2d_run` keeps it. Both are measured. */
#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/Parallel.h>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <malloc.h>
#include <string>

namespace {

struct layer {
    at::Tensor x, y;
    c10::OperatorHandle run;
    torch::jit::Stack arguments;
    std::string error;
};

at::Tensor channels_last(const float *data, int64_t n, int64_t h, int64_t w, int64_t c)
{
    return at::from_blob(const_cast<float *>(data), {n, c, h, w}, {h * w * c, 1, w * c, c}, at::kFloat);
}

c10::OperatorHandle find(const char *name)
{
    return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

} // namespace

extern "C" {

/* A layer that run_onednn computes: x is (n, h, w, ic), w (oc, ic, k, k), and NULL if PyTorch refuses. form 0 is
 * _convolution_pointwise, 1 conv2d_run. */
void *onednn_layer(int form, const float *x, int64_t n, int64_t h, int64_t w, int64_t ic, const float *weights, int64_t oc,
                   int64_t k, int64_t stride)
{
    try {
        at::set_num_threads(1);
        mallopt(M_MMAP_THRESHOLD, 1 << 30); /* results come from memory that the process has already */
        mallopt(M_TRIM_THRESHOLD, 1 << 30);
        const at::InferenceMode guard;
        const at::Tensor input = channels_last(x, n, h, w, ic);
        const at::Tensor plain = at::from_blob(const_cast<float *>(weights), {oc, ic, k, k}, at::kFloat).contiguous(at::MemoryFormat::ChannelsLast);
        const c10::List<int64_t> none({0, 0}), step({stride, stride}), one({1, 1});
        torch::jit::Stack packing, calling;
        if (form == 0) {
            packing = {plain, none, step, one, int64_t(1), c10::List<int64_t>({n, ic, h, w})};
            find("mkldnn::_reorder_convolution_weight").callBoxed(packing);
            calling = {input, packing[0], c10::IValue(), none, step, one, int64_t(1), "relu", c10::impl::GenericList(c10::OptionalType::create(c10::NumberType::get())), c10::IValue()};
            return new layer{input, {}, find("mkldnn::_convolution_pointwise"), calling, {}};
        }
        packing = {plain, c10::IValue(), step, none, one, int64_t(1), c10::List<int64_t>({n, ic, h, w}), "relu"};
        find("mkldnn_prepacked::conv2d_prepack").callBoxed(packing);
        calling = {input, packing[0]};
        return new layer{input, {}, find("mkldnn_prepacked::conv2d_run"), calling, {}};
    } catch (const std::exception &error) {
        fprintf(stderr, "oneDNN through PyTorch: %.300s\n", error.what());
        return nullptr;
    }
}

void run_onednn(void *state)
{
    layer *l = static_cast<layer *>(state);
    const at::InferenceMode guard;
    l->y = at::Tensor(); /* so that the memory of the last result, which is in the caches, is taken again */
    torch::jit::Stack stack = l->arguments;
    l->run.callBoxed(stack);
    l->y = stack[0].toTensor();
}

/* The last result as (n, h, w, oc), valid until the next run; NULL if it is laid out otherwise. */
const float *onednn_result(void *state)
{
    const layer *l = static_cast<layer *>(state);
    return l->y.is_contiguous(at::MemoryFormat::ChannelsLast) ? l->y.data_ptr<float>() : nullptr;
}
}
