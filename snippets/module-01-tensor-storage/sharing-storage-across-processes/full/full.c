// Loaded before the C library: a folder of shared memory that has room for one megabyte, and no more.
#include <errno.h>
#include <sys/types.h>

int posix_fallocate64(int fd, off64_t offset, off64_t length) {
  (void)fd;
  return offset + length > 1 << 20 ? ENOSPC : 0;
}
