// book::smooth_abs(Tensor x, float eps=1e-3) -> Tensor: the root of x² + eps², whose slope at 0 is 0.
#include "smooth_abs.h"

#include <ATen/Dispatch.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include <cmath>

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// region schema
TORCH_LIBRARY(book, m) {
  m.def("smooth_abs(Tensor x, float eps=1e-3) -> Tensor", {at::Tag::pt2_compliant_tag});
}
// endregion

namespace book {

// region call
// One call through the dispatcher, from whatever key the caller stands at.
Tensor smooth_abs(const Tensor& x, double eps) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("book::smooth_abs", "")
                             .typed<Tensor(const Tensor&, double)>();
  return op.call(x, eps);
}
// endregion

// region meta
Tensor empty_result(const Tensor& x, double eps) {
  TORCH_CHECK(x.is_floating_point(), "smooth_abs: x must be floating point, got ", x.scalar_type());
  const double floor = x.scalar_type() == at::kDouble ? eps * eps : static_cast<float>(eps * eps);
  TORCH_CHECK(eps > 0 && floor > 0, "smooth_abs: eps must be positive, and its square too, got ", eps);
  return at::empty_like(x);
}
// endregion

// region cpu
Tensor smooth_abs_cpu(const Tensor& x, double eps) {
  Tensor out = empty_result(x, eps);
  auto iter = at::TensorIteratorConfig().add_output(out).add_const_input(x).build();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "smooth_abs", [&] {
    const auto floor = static_cast<scalar_t>(eps * eps);
    iter.for_each([floor](char** data, const int64_t* strides, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        const auto value = *reinterpret_cast<const scalar_t*>(data[1] + i * strides[1]);
        *reinterpret_cast<scalar_t*>(data[0] + i * strides[0]) = std::sqrt(value * value + floor);
      }
    });
  });
  return out;
}
// endregion

// region autograd
struct SmoothAbs : torch::autograd::Function<SmoothAbs> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, double eps) {
    at::AutoDispatchBelowADInplaceOrView below;
    Tensor out = smooth_abs(x, eps);
    ctx->save_for_backward({x, out});
    return out;
  }

  static variable_list backward(AutogradContext* ctx, const variable_list& grads) {
    const auto saved = ctx->get_saved_variables();
    return {grads[0].mul(saved[0]).div(saved[1]), Tensor()};
  }
};

Tensor smooth_abs_autograd(const Tensor& x, double eps) {
  return SmoothAbs::apply(x, eps);
}
// endregion

// region autocast
Tensor smooth_abs_autocast(const Tensor& x, double eps) {
  c10::impl::ExcludeDispatchKeyGuard below(c10::autocast_dispatch_keyset);
  const bool narrow = x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16;
  return smooth_abs(narrow ? x.to(at::kFloat) : x, eps);
}
// endregion

} // namespace book

// region register
TORCH_LIBRARY_IMPL(book, CPU, m) {
  m.impl("smooth_abs", book::smooth_abs_cpu);
}

TORCH_LIBRARY_IMPL(book, Meta, m) {
  m.impl("smooth_abs", book::empty_result);
}

TORCH_LIBRARY_IMPL(book, Autograd, m) {
  m.impl("smooth_abs", book::smooth_abs_autograd);
}

TORCH_LIBRARY_IMPL(book, AutocastCPU, m) {
  m.impl("smooth_abs", book::smooth_abs_autocast);
}

TORCH_LIBRARY_IMPL(book, AutocastCUDA, m) {
  m.impl("smooth_abs", book::smooth_abs_autocast);
}
// endregion
