// A look into a TensorIterator: what it made of two operands and a new result, and how its loop is called.
#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/cpu/Loops.h>

#include <atomic>
#include <mutex>
#include <vector>

namespace {

at::TensorIterator iterator;
std::vector<std::vector<int64_t>> calls;
std::atomic<int64_t> one_by_one, by_vectors;
std::mutex one_at_a_time;

at::TensorBase tensor(void* impl) {
  return at::TensorBase(
      c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::unsafe_reclaim_from_nonowning(
          static_cast<c10::TensorImpl*>(impl)));
}

} // namespace

extern "C" {

// region build
void build(void* a, void* b) {
  at::TensorBase out; // undefined: to be made
  iterator = at::TensorIterator::binary_op(out, tensor(a), tensor(b));
}
// endregion

int64_t dimensions() {
  return iterator.ndim();
}

int64_t size(int64_t dim) {
  return iterator.shape()[dim];
}

int64_t stride(int64_t operand, int64_t dim) {
  return iterator.strides(operand)[dim];
}

// region for-each
int64_t for_each(int64_t grain) {
  calls.clear();
  iterator.for_each(
      [&](char** data, const int64_t* strides, int64_t inner, int64_t outer) {
        std::vector<int64_t> call{at::get_thread_num(), inner, outer};
        for (int operand = 0; operand < 3; ++operand)
          call.push_back(data[operand] - static_cast<char*>(iterator.data_ptr(operand)));
        std::lock_guard<std::mutex> lock(one_at_a_time);
        calls.push_back(call);
      },
      grain);
  return calls.size();
}
// endregion

int64_t call(int64_t index, int64_t field) {
  return calls[index][field];
}

// region add
int64_t add() {
  using Vec = at::vec::Vectorized<float>;
  one_by_one = by_vectors = 0;
  at::native::cpu_kernel_vec(
      iterator,
      [](float a, float b) { return ++one_by_one, a + b; },
      [](Vec a, Vec b) { return by_vectors += Vec::size(), a + b; });
  return by_vectors;
}
// endregion

int64_t added_one_by_one() {
  return one_by_one;
}
}
