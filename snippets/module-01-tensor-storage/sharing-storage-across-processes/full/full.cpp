// Loaded before the C library: a folder of shared memory that has room for one megabyte, and no more.
#include <cerrno>
#include <sys/types.h>

extern "C" int posix_fallocate64(int, off64_t offset, off64_t length) {
  return offset + length > 1 << 20 ? ENOSPC : 0;
}
