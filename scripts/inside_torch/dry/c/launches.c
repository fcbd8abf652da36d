/* Kernels: none runs. Which one is asked for, and how, is noted; its name comes from what nvcc registered. */
#include "dry.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct kernel *kernels[1 << 16];

/* --- what nvcc's code registers when a library is loaded --- */

void **__cudaRegisterFatBinary(void *binary) {
    static void *handle;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void **handle) {}
void __cudaUnregisterFatBinary(void **handle) {}
char __cudaInitModule(void **handle) { return 1; }
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external, size_t size, int constant,
                       int global) {}

static struct kernel **bucket(const void *stub) { return &kernels[((uintptr_t)stub >> 4) * 2654435761u >> 16 & 0xffff]; }

void __cudaRegisterFunction(void **handle, const char *stub, char *device, const char *name, int limit, uint3 *thread,
                            uint3 *block, dim3 *block_size, dim3 *grid_size, int *warp_size) {
    struct kernel *kernel = calloc(1, sizeof *kernel);
    lock();
    struct kernel **place = bucket(stub);
    *kernel = (struct kernel){stub, name, NULL, *place};
    *place = kernel;
    unlock();
}

static struct kernel *kernel_of(const void *stub) {
    struct kernel *kernel = *bucket(stub);
    while (kernel && kernel->stub != stub) kernel = kernel->next;
    return kernel;
}

static char *demangled(const char *mangled) {
    static char *(*demangle)(const char *, char *, size_t *, int *);
    int status = -1;
    if (!demangle) { /* torch has loaded it, in a scope of its own */
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY);
        if (library) demangle = (char *(*)(const char *, char *, size_t *, int *))dlsym(library, "__cxa_demangle");
    }
    char *name = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    return name ? name : strdup(mangled);
}

/* --- launches --- */

cudaError_t compute(struct stream *stream, const char *name) {
    bool now;
    cudaError_t error = submit(stream, KERNEL, name, &now);
    if (!error && now) lose_all_values(name);
    return error;
}

static bool launchable(dim3 grid, dim3 block, size_t shared) {
    return grid.x && grid.y && grid.z && block.x && block.y && block.z && grid.x <= 2147483647 && grid.y <= 65535 &&
           grid.z <= 65535 && block.x <= 1024 && block.y <= 1024 && block.z <= 64 &&
           (size_t)block.x * block.y * block.z <= 1024 && shared <= 232448;
}

cudaError_t launch(const char *call, struct kernel *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t handle) {
    if (!kernel) return failed(cudaErrorInvalidDeviceFunction);
    if (!launchable(grid, block, shared)) return failed(cudaErrorInvalidConfiguration);
    lock();
    struct stream *stream = stream_of(handle);
    if (!kernel->name) kernel->name = demangled(kernel->mangled);
    note(call, "'kernel':'%s','grid':[%u,%u,%u],'block':[%u,%u,%u],'shared':%zu,'stream':%d,'device':%d", kernel->name,
         grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream->id, stream->device);
    cudaError_t error = compute(stream, kernel->name);
    unlock();
    return error;
}

cudaError_t cudaLaunchKernel(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared,
                             cudaStream_t stream) {
    return launch("cudaLaunchKernel", kernel_of(stub), grid, block, shared, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *stub, void **arguments) {
    return launch("cudaLaunchKernelExC", kernel_of(stub), config->gridDim, config->blockDim, config->dynamicSmemBytes,
                  config->stream);
}
cudaError_t cudaLaunchCooperativeKernel(const void *stub, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream) {
    return launch("cudaLaunchCooperativeKernel", kernel_of(stub), grid, block, shared, stream);
}

/* What the compiler makes of <<<…>>>: the configuration is pushed, the stub pops it, and launches. */
static __thread struct {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
} pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream) {
    pushed.grid = grid;
    pushed.block = block;
    pushed.shared = shared;
    pushed.stream = stream;
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    *grid = pushed.grid;
    *block = pushed.block;
    *shared = pushed.shared;
    *(cudaStream_t *)stream = pushed.stream;
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *handle, const void *stub) {
    *handle = (cudaKernel_t)kernel_of(stub);
    return failed(*handle ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                               cudaStream_t stream) {
    return launch("cudaLaunchKernel", (struct kernel *)kernel, grid, block, shared, stream);
}

/* --- what is asked of a kernel. The answers are made up, and alike for all: the truth stands in its machine code. --- */

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *stub) {
    memset(attributes, 0, sizeof *attributes);
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->binaryVersion = attributes->ptxVersion = 90;
    attributes->maxDynamicSharedSizeBytes = 49152;
    return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void *stub, enum cudaFuncAttribute attribute, int value) { return cudaSuccess; }

/* As many blocks as its threads and its shared memory let an SM hold. */
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count, const void *stub, int threads,
                                                                   size_t shared, unsigned flags) {
    if (threads < 1 || threads > 1024) return failed(cudaErrorInvalidValue);
    int by_threads = 2048 / ((threads + 31) / 32 * 32), by_shared = (int)(233472 / (shared + 1024));
    *count = by_threads < by_shared ? by_threads : by_shared;
    if (*count > 32) *count = 32;
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count, const void *stub, int threads, size_t shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(count, stub, threads, shared, 0);
}
