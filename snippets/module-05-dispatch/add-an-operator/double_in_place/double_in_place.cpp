// in_place::double_(Tensor(a!) x) -> (): writes to its argument, returns nothing, and has a derivative.
#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

void double_(const Tensor& x) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("in_place::double_", "")
                             .typed<void(const Tensor&)>();
  op.call(x);
}

// region kernels
void double_cpu(const Tensor& x) {
  TORCH_CHECK(x.scalar_type() == at::kFloat && x.is_contiguous(), "double_: x must be float and contiguous");
  float* data = x.mutable_data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) {
    data[i] *= 2; // no version is counted here
  }
}

struct Double : torch::autograd::Function<Double> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x) {
    at::AutoDispatchBelowADInplaceOrView below;
    double_(x);
    ctx->mark_dirty({x});
    return x;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    return {grads[0] * 2};
  }
};

void double_autograd(const Tensor& x) {
  Double::apply(x);
}
// endregion

// region register
TORCH_LIBRARY(in_place, m) {
  m.def("double_(Tensor(a!) x) -> ()", {at::Tag::pt2_compliant_tag});
}

TORCH_LIBRARY_IMPL(in_place, CPU, m) {
  m.impl("double_", double_cpu);
}

TORCH_LIBRARY_IMPL(in_place, Meta, m) {
  m.impl("double_", [](const Tensor&) {});
}

TORCH_LIBRARY_IMPL(in_place, Autograd, m) {
  m.impl("double_", double_autograd);
}
// endregion
