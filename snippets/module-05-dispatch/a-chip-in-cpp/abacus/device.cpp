// What PyTorch asks of a device before any operator: a guard, an allocator, a generator, and hooks.
#include "chip.h"
#include "device.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <algorithm>
#include <array>

namespace abacus {
namespace {

using c10::Device;
using c10::DeviceIndex;
using c10::DeviceType;
using c10::Stream;

// region guard
struct Guard final : c10::impl::DeviceGuardImplInterface {
  DeviceType type() const override {
    return DeviceType::PrivateUse1;
  }
  DeviceIndex deviceCount() const noexcept override {
    return chip::kDevices;
  }
  Device getDevice() const override {
    return {type(), static_cast<DeviceIndex>(chip::current())};
  }
  void setDevice(Device device) const override {
    TORCH_CHECK(device.index() < chip::kDevices, "abacus: device ", int{device.index()}, " of ", chip::kDevices);
    uncheckedSetDevice(device);
  }
  void uncheckedSetDevice(Device device) const noexcept override {
    if (device.has_index()) {
      chip::use(device.index());
    }
  }
  Device exchangeDevice(Device device) const override {
    const Device before = getDevice();
    setDevice(device);
    return before;
  }
  // The chip runs one command after the other: every queue is the default queue, and nothing is ever pending.
  Stream getStream(Device device) const override {
    return Stream(Stream::DEFAULT, device.has_index() ? device : getDevice());
  }
  Stream getDefaultStream(Device device) const override {
    return getStream(device);
  }
  Stream exchangeStream(Stream stream) const override {
    return stream;
  }
  bool queryStream(const Stream&) const override {
    return true;
  }
  void synchronizeStream(const Stream&) const override {}
  void synchronizeDevice(const DeviceIndex) const override {}
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)
// endregion

// region allocator
struct Allocator final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t nbytes) override {
    const Device device = Guard().getDevice();
    if (nbytes == 0) {
      return {nullptr, device};
    }
    void* address = chip::allocate(device.index(), nbytes);
    TORCH_CHECK_WITH(OutOfMemoryError, address, "abacus: no room for ", nbytes, " bytes on ", device);
    return {address, address, &chip::release, device};
  }
  c10::DeleterFnPtr raw_deleter() const override {
    return &chip::release;
  }
  void copy_data(void* to, const void* from, size_t nbytes) const override {
    const chip::Command running;
    default_copy_data(to, from, nbytes);
  }
  // endregion

  // region statistics
  bool initialized() override {
    return true;
  }
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(DeviceIndex index) override {
    c10::CachingDeviceAllocator::DeviceStats stats;
    stats.allocated_bytes[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)].current =
        chip::bytes_in_use(index);
    return stats;
  }
  void emptyCache(c10::MempoolId_t) override {}  // this allocator keeps nothing back
  void recordStream(const c10::DataPtr&, Stream) override {}
  void resetAccumulatedStats(DeviceIndex) override {}
  void resetPeakStats(DeviceIndex) override {}
};

Allocator the_allocator;
REGISTER_ALLOCATOR(DeviceType::PrivateUse1, &the_allocator)
// endregion

// region generator
// Random numbers are drawn on the host, by PyTorch's own Mersenne twister, under the name of the chip.
struct Generator final : at::CPUGeneratorImpl {
  explicit Generator(DeviceIndex index) {
    device_ = Device(DeviceType::PrivateUse1, index);
    key_set_ = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
  }

 private:
  Generator* clone_impl() const override {  // the inherited one would give a generator of the CPU
    auto* copy = new Generator(device_.index());
    copy->set_state(*get_state());
    return copy;
  }
};

const at::Generator& default_generator(DeviceIndex index) {
  static std::array<at::Generator, chip::kDevices> all = {
      at::make_generator<Generator>(0), at::make_generator<Generator>(1)};
  return all.at(index < 0 ? chip::current() : index);
}
// endregion

// region hooks
struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override {
    return true;
  }
  bool isAvailable() const override {
    return true;
  }
  bool hasPrimaryContext(DeviceIndex) const override {
    return true;
  }
  DeviceIndex deviceCount() const override {
    return chip::kDevices;
  }
  const at::Generator& getDefaultGenerator(DeviceIndex index) const override {
    return default_generator(index);
  }
  at::Generator getNewGenerator(DeviceIndex index) const override {
    return at::make_generator<Generator>(index < 0 ? Guard().getDevice().index() : index);
  }
  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t nbytes) const override {
    resize_storage(storage, nbytes);
  }
};

const bool registered = [] {
  at::RegisterPrivateUse1HooksInterface(new Hooks);  // never freed, as the guard
  return true;
}();
// endregion

}  // namespace

// region storage
void resize_storage(const c10::Storage& storage, size_t nbytes) {
  if (storage.nbytes() == nbytes) {
    return;
  }
  TORCH_CHECK(storage.resizable(), "abacus: this storage cannot be resized");
  const c10::DeviceGuard guard(storage.device());
  c10::DataPtr data = the_allocator.allocate(nbytes);
  if (const size_t kept = std::min(nbytes, storage.nbytes())) {
    the_allocator.copy_data(data.get(), storage.data(), kept);
  }
  storage.set_data_ptr_noswap(std::move(data));
  storage.set_nbytes(nbytes);
}
// endregion

}  // namespace abacus
