// The kernel for CUDA. Compiled where nvcc and a CUDA build of PyTorch are.
#include "smooth_abs.h"

#include <ATen/Dispatch.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <algorithm>

namespace {

// region kernel
template <typename scalar_t>
__global__ void smooth_abs_kernel(const scalar_t* x, scalar_t* out, int64_t n, scalar_t floor) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
    out[i] = ::sqrt(x[i] * x[i] + floor);
  }
}
// endregion

// region launch
constexpr int64_t threads = 256;
constexpr int64_t blocks_per_processor = 8;

at::Tensor smooth_abs_cuda(const at::Tensor& x, double eps) {
  const c10::cuda::CUDAGuard on_device(x.device());
  // With no holes and no overlap, the memory is n elements in a row, in whatever order of dimensions.
  const at::Tensor dense = x.is_non_overlapping_and_dense() ? x : x.clone();
  at::Tensor out = book::empty_result(dense, eps);
  const int64_t n = dense.numel();
  if (n == 0) {
    return out;
  }
  int processors = 0;
  C10_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, x.get_device()));
  const int64_t blocks = std::min((n + threads - 1) / threads, processors * blocks_per_processor);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "smooth_abs", [&] {
    smooth_abs_kernel<scalar_t><<<blocks, threads, 0, c10::cuda::getCurrentCUDAStream()>>>(
        dense.const_data_ptr<scalar_t>(),
        out.mutable_data_ptr<scalar_t>(),
        n,
        static_cast<scalar_t>(eps * eps));
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return out;
}
// endregion

} // namespace

TORCH_LIBRARY_IMPL(book, CUDA, m) {
  m.impl("smooth_abs", smooth_abs_cuda);
}
