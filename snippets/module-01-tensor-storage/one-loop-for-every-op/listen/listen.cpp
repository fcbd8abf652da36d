// Stands before two functions that PyTorch's libraries call by name: counts, and hands the call on.
#include <dlfcn.h>

#include <atomic>

extern "C" {

std::atomic<long> builds, teams;

static void *original(const char *library, const char *name) {
  return dlsym(dlopen(library, RTLD_LAZY | RTLD_NOLOAD), name);
}

// region build
// at::TensorIteratorBase::build(at::TensorIteratorConfig&), by the name that the linker knows
void _ZN2at18TensorIteratorBase5buildERNS_20TensorIteratorConfigE(void *self, void *config) {
  using Build = void(void *, void *);
  static const auto build = reinterpret_cast<Build *>(
      original("libtorch_cpu.so", "_ZN2at18TensorIteratorBase5buildERNS_20TensorIteratorConfigE"));
  ++builds;
  build(self, config);
}
// endregion

// region team
// What `#pragma omp parallel` becomes. PyTorch's own names no number of threads, which is 0 here.
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags) {
  using Parallel = void(void (*)(void *), void *, unsigned, unsigned);
  static const auto parallel = reinterpret_cast<Parallel *>(original("libgomp.so.1", "GOMP_parallel"));
  if (threads == 0)
    ++teams;
  parallel(body, data, threads, flags);
}
// endregion
}
