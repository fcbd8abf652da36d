// Where the fields of a TensorImpl and of a StorageImpl lie, and how large a VersionCounter is, from the headers of the wheel.
#include <c10/core/TensorImpl.h>

#include <cstddef>
#include <cstdio>

// region field
#define FIELD(type, name)                                          \
  std::printf(                                                     \
      #type "  %zu  %zu  %s\n",                                    \
      offsetof(c10::type, name),                                   \
      offsetof(c10::type, name) + sizeof(c10::type::name),         \
      #name)
// endregion

int main() {
  FIELD(TensorImpl, combined_refcount_);
  FIELD(TensorImpl, storage_);
  FIELD(TensorImpl, autograd_meta_);
  FIELD(TensorImpl, extra_meta_);
  FIELD(TensorImpl, version_counter_);
  FIELD(TensorImpl, pyobj_slot_);
  FIELD(TensorImpl, sizes_and_strides_);
  FIELD(TensorImpl, storage_offset_);
  FIELD(TensorImpl, numel_);
  FIELD(TensorImpl, data_type_);
  FIELD(TensorImpl, device_opt_);
  FIELD(TensorImpl, key_set_);
  std::printf("TensorImpl  0  %zu  all of it\n\n", sizeof(c10::TensorImpl));
  FIELD(StorageImpl, combined_refcount_);
  FIELD(StorageImpl, data_ptr_);
  FIELD(StorageImpl, size_bytes_);
  FIELD(StorageImpl, resizable_);
  FIELD(StorageImpl, allocator_);
  FIELD(StorageImpl, pyobj_slot_);
  std::printf("StorageImpl  0  %zu  all of it\n\n", sizeof(c10::StorageImpl));
  std::printf("VersionCounter  0  %zu  all of it\n", sizeof(c10::VariableVersion::VersionCounter));
}
