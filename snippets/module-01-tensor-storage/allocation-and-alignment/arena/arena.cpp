// An allocator for tensors of the CPU: whole lines of one piece of memory, the first hole that is large enough.
#include <c10/core/Allocator.h>

#include <cstring>
#include <map>
#include <mutex>

namespace {

constexpr size_t kBytes = size_t(1) << 24;
alignas(4096) char memory[kBytes];

// region arena
struct Arena final : c10::Allocator {
  size_t line = 32;
  size_t asked = 0;                // how many blocks, from the beginning
  std::map<size_t, size_t> blocks; // where each begins and ends, in bytes from the beginning
  std::mutex mutex;

  c10::DataPtr allocate(size_t n) override {
    const c10::Device cpu(c10::DeviceType::CPU);
    if (n == 0)
      return {nullptr, cpu};
    std::lock_guard<std::mutex> one_at_a_time(mutex);
    const size_t size = (n + line - 1) / line * line;
    size_t begin = 0;
    for (const auto& [from, to] : blocks) {
      if (begin + size <= from)
        break;
      begin = to;
    }
    TORCH_CHECK_WITH(OutOfMemoryError, begin + size <= kBytes, "The arena has no ", size, " bytes in a row");
    blocks[begin] = begin + size;
    ++asked;
    char* address = memory + begin;
    return {address, address, &release, cpu};
  }

  static void release(void* address);

  c10::DeleterFnPtr raw_deleter() const override {
    return &release;
  }

  void copy_data(void* to, const void* from, size_t n) const override {
    default_copy_data(to, from, n);
  }
};
// endregion

// region install
Arena& arena() {
  static Arena* const one = new Arena; // for ever: a tensor may outlive all else
  return *one;
}

void Arena::release(void* address) {
  std::lock_guard<std::mutex> one_at_a_time(arena().mutex);
  arena().blocks.erase(static_cast<char*>(address) - memory);
}

c10::Allocator* before = nullptr;

} // namespace

extern "C" void install(size_t line) {
  arena().line = line;
  before = c10::GetAllocator(c10::DeviceType::CPU);
  c10::SetAllocator(c10::DeviceType::CPU, &arena());
}

extern "C" void remove_again() {
  c10::SetAllocator(c10::DeviceType::CPU, before);
}
// endregion

extern "C" size_t asked() {
  return arena().asked;
}

extern "C" size_t block(size_t place, size_t* begin) {
  for (const auto& [from, to] : arena().blocks)
    if (place-- == 0) {
      *begin = from;
      return to;
    }
  return 0;
}

extern "C" size_t where(void* address) {
  return static_cast<char*>(address) - memory;
}
