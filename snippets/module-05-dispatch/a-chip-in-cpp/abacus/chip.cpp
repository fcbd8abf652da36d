#include "chip.h"

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>

namespace chip {
namespace {

thread_local int current_device = 0;
std::atomic<int64_t> command_count{0}, line_count{0};

// region arena
// The memory of one device: closed pages, handed out first fit, in whole lines.
class Arena {
 public:
  Arena() {
    void* pages = mmap(nullptr, kArena, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) {
      throw std::bad_alloc();
    }
    base_ = static_cast<char*>(pages);
    free_[0] = kArena;
  }

  void* allocate(size_t nbytes) {
    const size_t size = (nbytes + kLine - 1) / kLine * kLine;
    for (auto hole = free_.begin(); hole != free_.end(); ++hole) {
      const auto [offset, room] = *hole;
      if (room >= size) {
        free_.erase(hole);
        if (room > size) {
          free_[offset + size] = room - size;
        }
        used_[offset] = size;
        in_use += size;
        return base_ + offset;
      }
    }
    return nullptr;
  }
  // endregion

  void release(void* address) {
    const auto block = used_.find(static_cast<char*>(address) - base_);
    auto [offset, size] = *block;
    used_.erase(block);
    in_use -= size;
    auto next = free_.lower_bound(offset);
    if (next != free_.end() && offset + size == next->first) {  // the hole behind
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin() && std::prev(next)->first + std::prev(next)->second == offset) {  // and before
      std::prev(next)->second += size;
    } else {
      free_[offset] = size;
    }
  }

  bool owns(void* address) const {
    return base_ <= address && address < base_ + kArena;
  }

  void protect(int protection) {
    mprotect(base_, kArena, protection);
  }

  size_t in_use = 0;

 private:
  char* base_;
  std::map<size_t, size_t> free_, used_;  // offset -> bytes
};

struct Chip {
  std::mutex mutex;
  std::array<Arena, kDevices> arenas;
  int running = 0;  // commands, of all threads
};

Chip& the_chip() {
  static Chip& chip = *new Chip;  // never freed: tensors may die after every static
  return chip;
}

}  // namespace

void* allocate(int device, size_t nbytes) {
  Chip& chip = the_chip();
  const std::lock_guard<std::mutex> lock(chip.mutex);
  return chip.arenas.at(device).allocate(nbytes);
}

void release(void* address) {
  Chip& chip = the_chip();
  const std::lock_guard<std::mutex> lock(chip.mutex);
  for (Arena& arena : chip.arenas) {
    if (arena.owns(address)) {
      arena.release(address);
    }
  }
}

int current() {
  return current_device;
}

void use(int device) {
  current_device = device;
}

// region command
Command::Command() {
  Chip& chip = the_chip();
  const std::lock_guard<std::mutex> lock(chip.mutex);
  ++command_count;
  if (chip.running++ == 0) {
    for (Arena& arena : chip.arenas) {
      arena.protect(PROT_READ | PROT_WRITE);
    }
  }
}

Command::~Command() {
  Chip& chip = the_chip();
  const std::lock_guard<std::mutex> lock(chip.mutex);
  if (--chip.running == 0) {
    for (Arena& arena : chip.arenas) {
      arena.protect(PROT_NONE);
    }
  }
}
// endregion

// region adder
void add_lines(float* out, const float* a, const float* b, float alpha, size_t lines) {
  for (const float* address : {static_cast<const float*>(out), a, b}) {
    if (reinterpret_cast<uintptr_t>(address) % kLine != 0) {
      throw std::invalid_argument("abacus: the adder takes whole lines of 32 bytes, at multiples of 32");
    }
  }
  for (size_t i = 0; i < lines * kLine / sizeof(float); ++i) {
    out[i] = a[i] + alpha * b[i];
  }
  line_count += static_cast<int64_t>(lines);
}
// endregion

int64_t bytes_in_use(int device) {
  Chip& chip = the_chip();
  const std::lock_guard<std::mutex> lock(chip.mutex);
  return static_cast<int64_t>(chip.arenas.at(device).in_use);
}

int64_t commands() {
  return command_count;
}

int64_t lines() {
  return line_count;
}

}  // namespace chip
