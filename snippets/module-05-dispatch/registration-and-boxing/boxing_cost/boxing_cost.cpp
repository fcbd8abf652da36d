#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <torch/library.h>

#include <chrono>

using at::Tensor;

// region kernels
Tensor same(const Tensor& x, double eps) {
  return x;
}

// The result has to replace the arguments on the stack: x is there already.
void same_boxed(const c10::OperatorHandle&, torch::jit::Stack* stack) {
  torch::jit::drop(*stack, 1);
}
// endregion

// region calls
template <class Call>
double seconds(int64_t calls, const Call& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < calls; ++i) {
    call();
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double unboxed_call(const Tensor& x, const std::string& name, int64_t calls) {
  auto op = c10::Dispatcher::singleton()
                .findSchemaOrThrow(name.c_str(), "")
                .typed<Tensor(const Tensor&, double)>();
  return seconds(calls, [&] { op.call(x, 1e-3); });
}

double boxed_call(const Tensor& x, const std::string& name, int64_t calls) {
  auto op = c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), "");
  return seconds(calls, [&] {
    torch::jit::Stack stack{x, 1e-3};
    op.callBoxed(stack);
  });
}

double add_call(const Tensor& x, int64_t calls) {
  return seconds(calls, [&] { at::add(x, x); });
}
// endregion

TORCH_LIBRARY(boxing_cost, m) {
  for (const char* name : {"unboxed", "boxed", "no_autograd", "python"}) {
    m.def(std::string(name).append("(Tensor(a) x, float eps) -> Tensor(a)").c_str());
  }
  m.impl("unboxed", c10::DispatchKey::CompositeImplicitAutograd, same);
  m.impl(
      "boxed",
      torch::dispatch(
          c10::DispatchKey::CompositeImplicitAutograd,
          torch::CppFunction::makeFromBoxedFunction<&same_boxed>()));
  m.impl("no_autograd", c10::DispatchKey::CompositeExplicitAutograd, same);

  m.def("unboxed_call(Tensor x, str name, int calls) -> float", unboxed_call);
  m.def("boxed_call(Tensor x, str name, int calls) -> float", boxed_call);
  m.def("add_call(Tensor x, int calls) -> float", add_call);
}
