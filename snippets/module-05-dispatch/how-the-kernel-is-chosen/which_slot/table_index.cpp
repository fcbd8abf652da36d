// The dispatcher's own arithmetic, from the header that the dispatcher is compiled from.
#include <c10/core/DispatchKeySet.h>

extern "C" {
int entries() {
  return c10::num_runtime_entries;
}

int table_index(uint64_t raw) {
  return c10::DispatchKeySet::from_raw_repr(raw).getDispatchTableIndexForDispatchKeySet();
}
}
