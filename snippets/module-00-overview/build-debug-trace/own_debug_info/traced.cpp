// Operators that call another one. What they include is compiled here, with this file's flags.
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <torch/library.h>

at::Tensor plain(const at::Tensor& a, const at::Tensor& b) {
  return at::add(a, b);
}

at::Tensor add(const at::Tensor& a, const at::Tensor& b) {
  static auto op = c10::Dispatcher::singleton()
                       .findSchemaOrThrow("aten::add", "Tensor")
                       .typed<at::Tensor(const at::Tensor&, const at::Tensor&, const at::Scalar&)>();
  return op.call(a, b, 1);
}

TORCH_LIBRARY(book_debug, m) {
  m.def("plain(Tensor a, Tensor b) -> Tensor");
  m.impl("plain", c10::DispatchKey::CompositeImplicitAutograd, plain);
  m.def("add(Tensor a, Tensor b) -> Tensor");
  m.impl("add", c10::DispatchKey::CompositeImplicitAutograd, add);
}
