#pragma once

#include <c10/core/Storage.h>

namespace abacus {

// Give a storage on the chip room for `nbytes`, larger or smaller, and keep what fits of its data.
void resize_storage(const c10::Storage& storage, size_t nbytes);

}  // namespace abacus
