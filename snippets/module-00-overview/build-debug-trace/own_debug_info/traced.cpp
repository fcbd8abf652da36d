// An operator that calls another one. What it includes is compiled here, with this file's flags.
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

at::Tensor add(const at::Tensor& a, const at::Tensor& b) {
  static auto op = c10::Dispatcher::singleton()
                       .findSchemaOrThrow("aten::add", "Tensor")
                       .typed<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Scalar&)>();
  return op.call(a, b, 1);
}

TORCH_LIBRARY(book_debug, m) {
  m.def("add(Tensor a, Tensor b) -> Tensor");
  m.impl("add", c10::DispatchKey::CompositeImplicitAutograd, add);
}
