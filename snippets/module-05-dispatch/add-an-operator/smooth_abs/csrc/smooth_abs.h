#pragma once

#include <ATen/core/Tensor.h>

namespace book {

// Checks the arguments and allocates the result; it is the Meta kernel, and each backend begins with it.
at::Tensor empty_result(const at::Tensor& x, double eps);

} // namespace book
