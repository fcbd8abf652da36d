// The operators of the abacus: memory, copies, views, one addition of its own, and the CPU for the rest.
#include "chip.h"
#include "device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/DistributionsHelper.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/native/BinaryOps.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/library.h>

#include <cstdlib>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

namespace at::autocast {
// From ATen/autocast_mode.h, which includes every operator there is.
TORCH_API ScalarType get_autocast_dtype(c10::DeviceType);
TORCH_API Tensor cached_cast(ScalarType, const Tensor&, c10::DeviceType);
}  // namespace at::autocast

namespace abacus {
namespace {

using at::IntArrayRef;
using at::Tensor;
using c10::Device;
using c10::DeviceType;
using c10::DispatchKey;
using c10::ScalarType;
using c10::SymInt;
using c10::SymIntArrayRef;
using std::optional;

constexpr c10::DispatchKeySet kKeys(DispatchKey::PrivateUse1);

bool on_chip(const Tensor& tensor) {
  return tensor.device().type() == DeviceType::PrivateUse1;
}

// region empty
c10::Allocator* allocator(optional<bool> pinned) {
  TORCH_CHECK(!pinned.value_or(false), "abacus: only memory of the host can be pinned");
  return c10::GetAllocator(DeviceType::PrivateUse1);
}

Tensor empty(
    IntArrayRef size, optional<ScalarType> dtype, optional<at::Layout>, optional<Device> device,
    optional<bool> pinned, optional<at::MemoryFormat> format) {
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_generic(size, allocator(pinned), kKeys, c10::dtype_or_default(dtype), format);
}

Tensor empty_strided(
    IntArrayRef size, IntArrayRef stride, optional<ScalarType> dtype, optional<at::Layout>, optional<Device> device,
    optional<bool> pinned) {
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_strided_generic(size, stride, allocator(pinned), kKeys, c10::dtype_or_default(dtype));
}
// endregion

// region resize
// Sizes and strides by PyTorch's function, memory by ours: what the tensor now reaches must be there.
void give_shape(const Tensor& self, IntArrayRef size, at::OptionalIntArrayRef stride) {
  at::TensorImpl* impl = self.unsafeGetTensorImpl();
  at::native::resize_impl_cpu_(impl, size, stride, /*resize_storage=*/false);
  const size_t wanted = at::detail::computeStorageNbytes(
      size, impl->strides(), self.dtype().itemsize(), self.storage_offset());
  if (self.numel() > 0 && wanted > self.storage().nbytes()) {
    resize_storage(self.storage(), wanted);
  }
}

const Tensor& resize_(const Tensor& self, IntArrayRef size, optional<at::MemoryFormat> format) {
  give_shape(self, size, std::nullopt);
  if (format.has_value()) {
    self.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  }
  return self;
}
// endregion

// region set
Tensor& set_(Tensor& self, at::Storage source, int64_t offset, IntArrayRef size, IntArrayRef stride) {
  at::native::checkSetStorage(self, source, offset, size, stride);
  self.unsafeGetTensorImpl()->set_storage_offset(offset);
  give_shape(self, size, stride.data() ? at::OptionalIntArrayRef(stride) : std::nullopt);
  return self;
}

Tensor& set_to_storage_(Tensor& self, at::Storage source) {
  const int64_t length = static_cast<int64_t>(source.nbytes() / self.dtype().itemsize());
  return set_(self, std::move(source), 0, {length}, {});
}
// endregion

// region copy
// The same memory as a tensor of the host: to be looked at while a command runs, and not a moment longer.
Tensor as_the_chip_sees_it(const Tensor& tensor) {
  if (!on_chip(tensor)) {
    return tensor;
  }
  Tensor seen = at::from_blob(
      tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.options().device(DeviceType::CPU));
  seen._set_conj(tensor.is_conj());
  seen._set_neg(tensor.is_neg());
  return seen;
}

Tensor copy_from(const Tensor& source, const Tensor& target, bool /*non_blocking*/) {
  at::assert_no_partial_overlap(target, source);  // the two tensors below would not know that they share memory
  const chip::Command running;
  as_the_chip_sees_it(target).copy_(as_the_chip_sees_it(source));
  return target;
}

Tensor copy_from_and_resize(const Tensor& source, const Tensor& target) {
  target.resize_(source.sizes());
  target.copy_(source);
  return target;
}

at::Scalar local_scalar_dense(const Tensor& self) {
  return self.to(DeviceType::CPU).item();
}
// endregion

// region add
// Lines of 32 bytes for the adder; what is not a line, or does not lie on one, goes element by element.
bool in_lines(char** data, const int64_t* strides) {
  for (int i : {0, 1, 2}) {
    if (strides[i] != sizeof(float) || reinterpret_cast<uintptr_t>(data[i]) % chip::kLine != 0) {
      return false;
    }
  }
  return true;
}

void add_floats(char** data, const int64_t* strides, int64_t n, float alpha) {
  constexpr int64_t per_line = chip::kLine / sizeof(float);
  int64_t done = 0;
  if (in_lines(data, strides)) {
    chip::add_lines(
        reinterpret_cast<float*>(data[0]), reinterpret_cast<float*>(data[1]), reinterpret_cast<float*>(data[2]),
        alpha, n / per_line);
    done = n / per_line * per_line;
  }
  for (; done < n; ++done) {
    const auto at = [&](int i) { return reinterpret_cast<float*>(data[i] + done * strides[i]); };
    *at(0) = *at(1) + alpha * *at(2);
  }
}

// endregion

// region add-on-the-cpu
// Where the sum is of another type than the adder's: by the CPU, and by its rules.
Tensor& add_out_on_the_cpu(const Tensor& self, const Tensor& other, const at::Scalar& alpha, Tensor& out) {
  const Tensor sum = self.to(DeviceType::CPU).add(other.to(DeviceType::CPU), alpha);
  TORCH_CHECK(
      c10::canCast(sum.scalar_type(), out.scalar_type()), "result type ", sum.scalar_type(),
      " can't be cast to the desired output type ", out.scalar_type());
  at::native::resize_output(out, sum.sizes());
  return out.copy_(sum);
}
// endregion

// region add-out
Tensor& add_out(const Tensor& self, const Tensor& other, const at::Scalar& alpha, Tensor& out) {
  for (const Tensor& operand : {self, other}) {
    const bool a_number = operand.dim() == 0 && operand.device().is_cpu();
    TORCH_CHECK(
        operand.device() == out.device() || a_number, "Expected all tensors to be on the same device, but found ",
        operand.device(), " and ", out.device());
  }
  if (at::result_type(self, other) != ScalarType::Float || out.scalar_type() != ScalarType::Float) {
    return add_out_on_the_cpu(self, other, alpha, out);
  }
  at::native::alpha_check(ScalarType::Float, alpha);
  const Tensor a = self.to(out.device(), ScalarType::Float), b = other.to(out.device(), ScalarType::Float);
  at::TensorIterator iter = at::TensorIterator::borrowing_binary_op(out, a, b);
  const chip::Command running;
  iter.serial_for_each(
      [value = alpha.to<float>()](char** data, const int64_t* strides, int64_t n) {
        add_floats(data, strides, n, value);
      },
      {0, iter.numel()});
  return out;
}
// endregion

// region random
Tensor& uniform_(Tensor& self, double from, double to, optional<at::Generator> generator) {
  at::Generator drawn = generator.has_value() && generator->defined()
      ? *generator
      : at::detail::getPrivateUse1Hooks().getDefaultGenerator(self.device().index());
  // Engines are told apart by nothing but the device: another one's generator would be taken for ours below.
  TORCH_CHECK(
      drawn.device().type() == DeviceType::PrivateUse1, "abacus: a generator of the chip is needed, not of ",
      drawn.device());
  const Tensor real = self.is_complex() ? at::view_as_real(self) : self;
  Tensor host = at::empty(real.sizes(), at::TensorOptions(DeviceType::CPU).dtype(ScalarType::Float));
  {
    const std::lock_guard<std::mutex> lock(drawn.mutex());
    at::uniform_real_distribution<float> uniform(from, to);
    auto* numbers = drawn.get<at::CPUGeneratorImpl>();
    for (int64_t i = 0; i < host.numel(); ++i) {
      host.mutable_data_ptr<float>()[i] = uniform(numbers);
    }
  }
  real.copy_(host);
  return self;
}
// endregion

// region fallback
std::mutex fallback_mutex;
std::map<std::string, int64_t> fallback_count;

void on_the_cpu(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const std::string name = c10::toString(op.operator_name());
  if (std::getenv("ABACUS_LOG")) {
    std::cerr << "abacus: " << name << " runs on the CPU\n";
  }
  {
    const std::lock_guard<std::mutex> lock(fallback_mutex);
    ++fallback_count[name];
  }
  at::native::cpu_fallback(op, stack, /*error_on_views=*/true);
}
// endregion

// region autocast
// Floating point tensors of the chip, but for those in lists, become the type that autocast was entered with.
void in_lower_precision(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::impl::ExcludeDispatchKeyGuard no_autocast(DispatchKey::AutocastPrivateUse1);
  const ScalarType dtype = at::autocast::get_autocast_dtype(DeviceType::PrivateUse1);
  for (size_t i = stack->size() - op.schema().arguments().size(); i < stack->size(); ++i) {
    c10::IValue& argument = (*stack)[i];
    if (argument.isTensor() && argument.toTensor().defined()) {
      argument = at::autocast::cached_cast(dtype, argument.toTensor(), DeviceType::PrivateUse1);
    }
  }
  op.callBoxed(stack);
}
// endregion

// region leave-out
// ABACUS_WITHOUT="resize_ view" leaves answers out: the way to find out who asks for them.
bool left_out(const std::string& name) {
  std::istringstream names(std::getenv("ABACUS_WITHOUT") ? std::getenv("ABACUS_WITHOUT") : "");
  for (std::string one; names >> one;) {
    if (one == name) {
      return true;
    }
  }
  return false;
}
// endregion

// region register
TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  const auto answer = [&m](const char* name, auto&& kernel) {
    if (!left_out(name)) {
      m.impl(name, std::forward<decltype(kernel)>(kernel));
    }
  };
  answer("empty.memory_format", TORCH_FN(empty));
  answer("empty_strided", TORCH_FN(empty_strided));
  answer("resize_", TORCH_FN(resize_));
  answer("set_.source_Storage", TORCH_FN(set_to_storage_));
  answer("set_.source_Storage_storage_offset", TORCH_FN(set_));
  answer("set_.source_Tensor", TORCH_FN(at::native::set_tensor_));
  answer("_copy_from", TORCH_FN(copy_from));
  answer("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
  answer("_local_scalar_dense", TORCH_FN(local_scalar_dense));
  answer("view", TORCH_FN(at::native::view));
  answer("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
  answer("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
  answer("unfold", TORCH_FN(at::native::unfold));
  answer("view_as_real", TORCH_FN(at::native::view_as_real));
  answer("view_as_complex", TORCH_FN(at::native::view_as_complex));
  answer("add.out", TORCH_FN(add_out));
  answer("uniform_", TORCH_FN(uniform_));
  // Without this line its structured form reaches the fallback as mse_loss.out, and the CPU resizes that result.
  answer("mse_loss", torch::CppFunction::makeFromBoxedFunction<&on_the_cpu>());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  if (!left_out("fallback")) {
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&on_the_cpu>());
  }
}

// endregion

// region bits
// `conj()` and its imaginary part set a bit, and copy nothing. The keys of these bits resolve them by a copy,
// which comes to _copy_from with the bit still set: it has to let them pass, and to copy what is meant.
void let_copies_pass(torch::Library& m) {
  if (!left_out("copy-of-bits")) {
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
  }
}
TORCH_LIBRARY_IMPL(aten, Conjugate, m) { let_copies_pass(m); }
TORCH_LIBRARY_IMPL(aten, Negative, m) { let_copies_pass(m); }
// endregion

// region autocast-keys
TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m) {
  if (!left_out("autocast-fallthrough")) {
    m.fallback(torch::CppFunction::makeFallthrough());
  }
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m) {
  for (const char* name : {"mm", "addmm", "bmm", "matmul", "linear"}) {
    m.impl(name, torch::CppFunction::makeFromBoxedFunction<&in_lower_precision>());
  }
}
// endregion

// region python
// What the Python module abacus.py needs to know; these are operators, so that no binding library is needed.
TORCH_LIBRARY(abacus, m) {
  m.def("device_count() -> int", [] { return static_cast<int64_t>(chip::kDevices); });
  m.def("current_device() -> int", [] { return static_cast<int64_t>(chip::current()); });
  m.def("set_device(int index) -> ()", [](int64_t index) {
    TORCH_CHECK(0 <= index && index < chip::kDevices, "abacus: device ", index, " of ", chip::kDevices);
    c10::impl::VirtualGuardImpl(DeviceType::PrivateUse1)
        .setDevice({DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(index)});
  });
  m.def("default_generator(int index) -> Generator?", [](int64_t index) {
    return at::detail::getPrivateUse1Hooks().getDefaultGenerator(static_cast<c10::DeviceIndex>(index));
  });
  m.def("commands() -> int", [] { return chip::commands(); });
  m.def("lines() -> int", [] { return chip::lines(); });
  m.def("fallbacks() -> Dict(str, int)", [] {
    const std::lock_guard<std::mutex> lock(fallback_mutex);
    c10::Dict<std::string, int64_t> counts;
    for (const auto& [name, count] : fallback_count) {
      counts.insert(name, count);
    }
    fallback_count.clear();
    return counts;
  });
}
// endregion

}  // namespace
}  // namespace abacus
