/* Memory. A device's bytes are real, so that what is copied to it can be copied back; kernels do not change them.
   Which bytes are known is kept: those that a copy or a fill wrote since the last kernel. No other byte is handed
   out, for a kernel would have written it, or might have. The address that a program sees cannot be touched by the
   host, as on a GPU: the bytes lie elsewhere. */
#include "dry.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

size_t used[MAX_DEVICES];
static struct block **blocks; /* by address */
static int block_count, block_room;

struct known {
    const char *from, *to;
};
static struct known *known;
static int known_count, known_room;
static char *last_kernel;

static int index_of(const char *address) { /* of the first block that ends behind it */
    int low = 0, high = block_count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (blocks[middle]->base + blocks[middle]->size <= address) low = middle + 1;
        else high = middle;
    }
    return low;
}

struct block *block_at(const void *address) {
    int i = index_of(address);
    return i < block_count && blocks[i]->base <= (const char *)address ? blocks[i] : NULL;
}

static struct block *add_block(struct block block) {
    if (block_count == block_room) {
        block_room = block_room ? 2 * block_room : 256;
        blocks = realloc(blocks, block_room * sizeof *blocks);
    }
    struct block *added = malloc(sizeof block);
    *added = block;
    int i = index_of(block.base);
    memmove(blocks + i + 1, blocks + i, (block_count++ - i) * sizeof *blocks);
    blocks[i] = added;
    return added;
}

/* Two ranges of addresses, neither of which takes memory before it is written to. */
struct block *new_device_block(size_t size, size_t charged, int device) {
    const size_t page = (size_t)2 << 20;
    size_t whole = (size + page - 1) / page * page;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    char *wide = mmap(NULL, whole + page, PROT_NONE, flags, -1, 0);
    char *values = mmap(NULL, whole, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (wide == MAP_FAILED || values == MAP_FAILED) return NULL;
    char *base = (char *)(((uintptr_t)wide + page - 1) / page * page);
    if (base > wide) munmap(wide, base - wide);
    munmap(base + whole, wide + page - base);
    used[device] += charged;
    return add_block((struct block){base, size, charged, values, DEVICE, device});
}

void drop_block(struct block *block) {
    const size_t page = (size_t)2 << 20;
    size_t whole = (block->size + page - 1) / page * page;
    if (block->place == DEVICE) {
        lose_values(block->base, block->size);
        munmap(block->base, whole);
        munmap(block->values, whole);
        used[block->device] -= block->charged;
    }
    int i = index_of(block->base);
    memmove(blocks + i, blocks + i + 1, (--block_count - i) * sizeof *blocks);
    free(block);
}

/* --- which bytes are known --- */

static void add_known(const char *from, const char *to) {
    if (known_count == known_room) {
        known_room = known_room ? 2 * known_room : 256;
        known = realloc(known, known_room * sizeof *known);
    }
    known[known_count++] = (struct known){from, to};
}

static bool is_known(const char *from, size_t size) {
    const char *place = from, *end = from + size;
    for (bool found = true; found && place < end;) {
        found = false;
        for (int i = 0; i < known_count; i++)
            if (known[i].from <= place && place < known[i].to) {
                place = known[i].to;
                found = true;
            }
    }
    return place >= end;
}

void lose_values(const char *from, size_t size) {
    const char *to = from + size;
    for (int i = known_count - 1; i >= 0; i--) {
        struct known one = known[i];
        if (one.to <= from || to <= one.from) continue;
        known[i] = known[--known_count];
        if (one.from < from) add_known(one.from, from);
        if (to < one.to) add_known(to, one.to);
    }
}

void lose_all_values(const char *because) {
    known_count = 0;
    free(last_kernel);
    last_kernel = strdup(because);
}

/* --- allocation --- */

static cudaError_t allocate(const char *call, void **address, size_t size) {
    cudaError_t error = cudaSuccess;
    *address = NULL;
    lock();
    if (used[current_device] + size > dry.memory) error = cudaErrorMemoryAllocation;
    else if (size) {
        struct block *block = new_device_block(size, size, current_device);
        if (block) *address = block->base;
        else error = cudaErrorMemoryAllocation;
    }
    note(call, "'bytes':%zu,'device':%d,'ok':%s,'used':%zu", size, current_device, error ? "false" : "true",
         used[current_device]);
    unlock();
    return failed(error);
}

static cudaError_t give_back(const char *call, void *address) {
    if (!address) return cudaSuccess;
    lock();
    struct block *block = block_at(address);
    bool is_one = block && block->place == DEVICE && block->base == address;
    if (is_one) {
        note(call, "'bytes':%zu,'device':%d,'used':%zu", block->size, block->device,
             used[block->device] - block->charged);
        drop_block(block);
    }
    unlock();
    return failed(is_one ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMalloc(void **address, size_t size) {
    cudaError_t error = unsafe_in_capture();
    return error ? error : allocate("cudaMalloc", address, size);
}
cudaError_t cudaFree(void *address) {
    cudaError_t error = address ? unsafe_in_capture() : cudaSuccess;
    return error ? error : give_back("cudaFree", address);
}
cudaError_t cudaMallocAsync(void **address, size_t size, cudaStream_t stream) {
    return allocate("cudaMallocAsync", address, size);
}
cudaError_t cudaFreeAsync(void *address, cudaStream_t stream) { return give_back("cudaFreeAsync", address); }

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    *total = dry.memory;
    *available = dry.memory - used[current_device];
    return cudaSuccess;
}

/* The pool behind cudaMallocAsync keeps nothing: what it has reserved is what is used. */
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
    *pool = (cudaMemPool_t)(uintptr_t)(device + 1);
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
    return cudaSuccess;
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute, void *value) {
    bool current = attribute == cudaMemPoolAttrUsedMemCurrent || attribute == cudaMemPoolAttrReservedMemCurrent;
    if (!current) refuse("cudaMemPoolGetAttribute (of anything but what is used now)");
    *(uint64_t *)value = used[(uintptr_t)pool - 1];
    return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *who, size_t count) {
    return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) { return cudaSuccess; }

/* --- memory of the host --- */

cudaError_t cudaHostAlloc(void **address, size_t size, unsigned flags) {
    cudaError_t error = unsafe_in_capture();
    if (error) return error;
    *address = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    if (!*address) return failed(cudaErrorMemoryAllocation);
    lock();
    add_block((struct block){*address, size, 0, *address, HOST, current_device});
    unlock();
    note("cudaHostAlloc", "'bytes':%zu", size);
    return cudaSuccess;
}
cudaError_t cudaHostRegister(void *address, size_t size, unsigned flags) {
    lock();
    bool before = block_at(address) != NULL;
    if (!before) add_block((struct block){address, size, 0, address, HOST, current_device});
    unlock();
    note("cudaHostRegister", "'bytes':%zu", size);
    return failed(before ? cudaErrorHostMemoryAlreadyRegistered : cudaSuccess);
}
static cudaError_t drop_host(void *address, const char *call) {
    lock();
    struct block *block = block_at(address);
    bool is_one = block && block->place == HOST && block->base == address;
    if (is_one) drop_block(block);
    unlock();
    note(call, "'ok':%s", is_one ? "true" : "false");
    return failed(is_one ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaFreeHost(void *address) {
    if (!address) return cudaSuccess;
    cudaError_t error = drop_host(address, "cudaFreeHost");
    if (!error) free(address);
    return error;
}
cudaError_t cudaHostUnregister(void *address) { return drop_host(address, "cudaHostUnregister"); }

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *a, const void *address) {
    memset(a, 0, sizeof *a);
    lock();
    struct block *block = block_at(address);
    a->type = !block ? cudaMemoryTypeUnregistered
                     : block->place == DEVICE ? cudaMemoryTypeDevice : cudaMemoryTypeHost;
    a->device = block ? block->device : cudaInvalidDeviceId;
    if (block) a->devicePointer = (void *)address;
    if (block && block->place == HOST) a->hostPointer = (void *)address;
    unlock();
    return cudaSuccess;
}

/* --- copies and fills --- */

static char *bytes(struct block *block, const void *address) {
    return block ? block->values + ((const char *)address - block->base) : (char *)address;
}
static bool on_device(const struct block *block) { return block && block->place == DEVICE; }
static bool fits(const struct block *block, const void *address, size_t size) {
    return (size_t)((const char *)address - block->base) + size <= block->size;
}

void move_values(void *to, const void *from, size_t size) {
    struct block *target = block_at(to), *source = block_at(from);
    bool sure = on_device(source) && on_device(target) && fits(source, from, size) && is_known(from, size);
    if (to == from) return;
    lose_values(to, size);
    if (!sure) return;
    memmove(bytes(target, to), bytes(source, from), size);
    add_known(to, (char *)to + size);
}

static cudaError_t copy(const char *call, void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                        struct stream *stream) {
    struct block *target = block_at(to), *source = block_at(from);
    bool reads = on_device(source), writes = on_device(target), now;
    bool must_read = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    bool must_write = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    if (!size) return cudaSuccess;
    if ((must_read && !reads) || (must_write && !writes)) return failed(cudaErrorInvalidValue);
    if ((reads && !fits(source, from, size)) || (writes && !fits(target, to, size)))
        return failed(cudaErrorInvalidValue);
    const char *way = reads ? writes ? source->device == target->device ? "device to device" : "peer to peer"
                                     : "device to host"
                            : writes ? "host to device" : "host to host";
    bool sure = !reads || is_known(from, size);
    bool unknown_value = reads && !writes && !sure && !stream->capture;
    note(call, "'bytes':%zu,'way':'%s','known':%s,'stream':%d,'device':%d,'where':%d", size, way, sure ? "true" : "false",
         stream->id, stream->device, unknown_value ? where() : 0);
    cudaError_t error = submit(stream, COPY, way, &now);
    if (error || !now) return error;
    if (reads && writes) {
        move_values(to, from, size);
        return cudaSuccess;
    }
    if (!sure && !dry.zeros)
        return no_value("the dry GPU computes nothing, and the program reads %zu bytes that a kernel has written, or "
                        "may have (last kernel: %.240s)", size, last_kernel ? last_kernel : "none; nothing wrote them");
    if (!sure) memset(bytes(target, to), 0, size);
    else memmove(bytes(target, to), bytes(source, from), size);
    if (writes) {
        lose_values(to, size);
        add_known(to, (char *)to + size);
    }
    return cudaSuccess;
}

static cudaError_t fill(const char *call, void *to, int value, size_t size, struct stream *stream) {
    struct block *target = block_at(to);
    bool now;
    if (!size) return cudaSuccess;
    if (!on_device(target) || !fits(target, to, size)) return failed(cudaErrorInvalidValue);
    note(call, "'bytes':%zu,'value':%d,'stream':%d,'device':%d", size, value, stream->id, stream->device);
    cudaError_t error = submit(stream, FILL, "memset", &now);
    if (error || !now) return error;
    char *begin = bytes(target, to), *end = begin + size;
    if (!value) { /* whole pages of zeros are given back, so that a large buffer of them takes no memory */
        uintptr_t first = ((uintptr_t)begin + 4095) & ~4095ul, last = (uintptr_t)end & ~4095ul;
        if (first < last && !madvise((void *)first, last - first, MADV_DONTNEED)) {
            memset(begin, 0, first - (uintptr_t)begin);
            begin = (char *)last;
        }
    }
    memset(begin, value, end - begin);
    lose_values(to, size);
    add_known(to, (char *)to + size);
    return cudaSuccess;
}

static cudaError_t locked_copy(const char *call, void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                               cudaStream_t stream) {
    lock();
    cudaError_t error = copy(call, to, from, size, kind, stream_of(stream));
    unlock();
    return error;
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream) {
    return locked_copy("cudaMemcpyAsync", to, from, size, kind, stream);
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
    cudaError_t error = unsafe_in_capture();
    return error ? error : locked_copy("cudaMemcpy", to, from, size, kind, NULL);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream) {
    return locked_copy("cudaMemcpyPeerAsync", to, from, size, cudaMemcpyDeviceToDevice, stream);
}
static cudaError_t locked_fill(const char *call, void *to, int value, size_t size, cudaStream_t stream) {
    lock();
    cudaError_t error = fill(call, to, value, size, stream_of(stream));
    unlock();
    return error;
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t size, cudaStream_t stream) {
    return locked_fill("cudaMemsetAsync", to, value, size, stream);
}
cudaError_t cudaMemset(void *to, int value, size_t size) { return locked_fill("cudaMemset", to, value, size, NULL); }
