// The abacus: an imaginary accelerator, simulated on the host. No line here knows PyTorch.
//
// Each device owns an arena of memory, which the host may not touch: its pages are closed, and opened only while
// a command of the driver runs. Whoever follows a device pointer on the host is stopped by a segmentation fault,
// as on real hardware. The adder reads and writes lines of 32 bytes, at addresses that are multiples of 32.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chip {

constexpr size_t kLine = 32;            // bytes
constexpr size_t kArena = 64UL << 20;   // bytes of memory on each device
constexpr int kDevices = 2;

// region driver
// Memory. `allocate` returns nullptr where the arena is full.
void* allocate(int device, size_t nbytes);
void release(void* address);

// The calling thread's current device.
int current();
void use(int device);

// While one of these lives, the pages of all devices are open: a command of the chip is running.
class Command {
 public:
  Command();
  ~Command();
};

// out = a + alpha * b for `lines` lines of float. Throws std::invalid_argument for an address that is not aligned.
void add_lines(float* out, const float* a, const float* b, float alpha, size_t lines);

// Memory that is taken on a device, in bytes, and what the chip has done so far: commands run, lines added.
int64_t bytes_in_use(int device);
int64_t commands();
int64_t lines();
// endregion

}  // namespace chip
