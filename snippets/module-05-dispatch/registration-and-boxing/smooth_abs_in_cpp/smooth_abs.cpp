#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/sqrt.h>
#include <torch/library.h>

using at::Tensor;

// region kernels
Tensor smooth_abs(const Tensor& x, double eps) {
  return at::sqrt(at::add(at::mul(x, x), eps * eps));
}

void smooth_abs_boxed(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  const double eps = torch::jit::pop(*stack).toDouble();
  const Tensor x = torch::jit::pop(*stack).toTensor();
  torch::jit::push(*stack, smooth_abs(x, eps));
}
// endregion

// region mismatch
// The first has a key set in front, and is accepted beside the kernel without. The second lacks an argument.
// They are registered by a call, so that an error has somebody to go to.
void register_wrong_kernel() {
  auto m = MAKE_TORCH_LIBRARY_IMPL(book, CPU);
  m.impl("smooth_abs", [](c10::DispatchKeySet, const Tensor& x, double eps) { return smooth_abs(x, eps); });
  m.impl("smooth_abs_too", [](const Tensor& x) { return x; });
}

void call_with_wrong_type(const Tensor& x) {
  c10::Dispatcher::singleton().findSchemaOrThrow("book::smooth_abs", "").typed<Tensor(const Tensor&)>().call(x);
}
// endregion

// region register
TORCH_LIBRARY(book, m) {
  m.def("smooth_abs(Tensor x, float eps=1e-3) -> Tensor");
  m.def("smooth_abs_too(Tensor x, float eps=1e-3) -> Tensor");
  m.def("register_wrong_kernel() -> ()", register_wrong_kernel);
  m.def("call_with_wrong_type(Tensor x) -> ()", call_with_wrong_type);
}

TORCH_LIBRARY_IMPL(book, CompositeExplicitAutograd, m) {
  m.impl("smooth_abs", smooth_abs);
  m.impl("smooth_abs_too", torch::CppFunction::makeFromBoxedFunction<&smooth_abs_boxed>());
}
// endregion
