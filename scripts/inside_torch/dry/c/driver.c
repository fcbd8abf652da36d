/* The driver, as far as PyTorch asks it: virtual memory for `expandable_segments`, and contexts. A reserved range has
   its bytes from the start; what is mapped into it counts against the device's memory. */
#include "dry.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct physical {
    size_t size;
    int device;
};

/* By name: cuMemMap is asked for as "cuMemMap" and stands in this library as that, or as its latest version. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found) {
    char with_version[96];
    *function = NULL;
    for (int i = 3; i > 0 && !*function; i--) {
        snprintf(with_version, sizeof with_version, i > 1 ? "%s_v%d" : "%s", name, i);
        *function = dlsym(RTLD_DEFAULT, with_version);
    }
    if (!*function) refuse(name);
    if (found) *found = cudaDriverEntryPointSuccess;
    return cudaSuccess;
}

CUresult cuInit(unsigned flags) { return CUDA_SUCCESS; }
/* CUDA's runtime compiler, which compiles the kernels that torch writes as text (of `prod`, `i0`, `gcd`), looks here for
   tables of the driver. Told that there are none, it does without; where the call is missing, it crashes. */
CUresult cuGetExportTable(const void **table, const CUuuid *id) { return CUDA_ERROR_NOT_FOUND; }
CUresult cuDriverGetVersion(int *version) { return (CUresult)cudaDriverGetVersion(version); }
CUresult cuDeviceGetCount(int *count) {
    *count = dry.devices;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
    *device = ordinal;
    return ordinal >= 0 && ordinal < dry.devices ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
    *text = cudaGetErrorString((cudaError_t)error);
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED: *value = 1; return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED: *value = 0; return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED: *value = 0; return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED: *value = 0; return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED: *value = 0; return CUDA_SUCCESS;
    /* The others have the numbers of the runtime's. */
    default: return (CUresult)cudaDeviceGetAttribute(value, (enum cudaDeviceAttr)attribute, device);
    }
}

/* A device has its context from the start: it is the number of the device and one. */
static CUcontext context_of(int device) { return (CUcontext)(uintptr_t)(device + 1); }
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    *flags = 0;
    *active = 1;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
    *context = context_of(device);
    return CUDA_SUCCESS;
}
CUresult cuCtxGetCurrent(CUcontext *context) {
    *context = context_of(current_device);
    return CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
    if (context) current_device = (int)(uintptr_t)context - 1;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
    *value = 0;
    return CUDA_SUCCESS;
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) { return CUDA_SUCCESS; }

/* --- modules, by which Triton and the compiler of torch's own kernels bring theirs. A module is not read. --- */

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
    static char any;
    note("cuModuleLoadData", "'device':%d", current_device);
    *module = (CUmodule)&any;
    return CUDA_SUCCESS;
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count, CUjit_option *options, void **values) {
    return cuModuleLoadData(module, image);
}
CUresult cuModuleLoad(CUmodule *module, const char *file) { return cuModuleLoadData(module, file); }
CUresult cuModuleUnload(CUmodule module) { return CUDA_SUCCESS; }
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name) {
    struct kernel *kernel = calloc(1, sizeof *kernel);
    kernel->mangled = strdup(name);
    *function = (CUfunction)kernel;
    return CUDA_SUCCESS;
}
/* Made up, as for other kernels. */
CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 1024 : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS ? 32 : 0;
    return CUDA_SUCCESS;
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) { return CUDA_SUCCESS; }
CUresult cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config) { return CUDA_SUCCESS; }
CUresult cuLaunchKernel(CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                        unsigned shared, CUstream stream, void **arguments, void **extra) {
    return (CUresult)launch("cuLaunchKernel", (struct kernel *)function, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, shared,
                            stream);
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **arguments, void **extra) {
    return (CUresult)launch("cuLaunchKernelEx", (struct kernel *)function, (dim3){c->gridDimX, c->gridDimY, c->gridDimZ},
                            (dim3){c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes, c->hStream);
}

/* --- virtual memory --- */

CUresult cuMemGetAllocationGranularity(size_t *size, const CUmemAllocationProp *what, CUmemAllocationGranularity_flags how) {
    *size = (size_t)2 << 20;
    return CUDA_SUCCESS;
}
CUresult cuMemAddressReserve(CUdeviceptr *address, size_t size, size_t alignment, CUdeviceptr wanted,
                             unsigned long long flags) {
    lock();
    struct block *block = new_device_block(size, 0, current_device);
    note("cuMemAddressReserve", "'bytes':%zu,'device':%d", size, current_device);
    unlock();
    if (!block) return CUDA_ERROR_OUT_OF_MEMORY;
    *address = (CUdeviceptr)block->base;
    return CUDA_SUCCESS;
}
CUresult cuMemAddressFree(CUdeviceptr address, size_t size) {
    lock();
    struct block *block = block_at((void *)address);
    if (block) drop_block(block);
    unlock();
    return block ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *what,
                     unsigned long long flags) {
    int device = what->location.id;
    if (what->location.type != CU_MEM_LOCATION_TYPE_DEVICE) refuse("cuMemCreate (memory of the host)");
    lock();
    bool fits = used[device] + size <= dry.memory;
    if (fits) used[device] += size;
    note("cuMemCreate", "'bytes':%zu,'device':%d,'ok':%s,'used':%zu", size, device, fits ? "true" : "false", used[device]);
    unlock();
    if (!fits) return CUDA_ERROR_OUT_OF_MEMORY;
    struct physical *made = calloc(1, sizeof *made);
    *made = (struct physical){size, device};
    *handle = (CUmemGenericAllocationHandle)(uintptr_t)made;
    return CUDA_SUCCESS;
}

/* Memory goes back when it is released and mapped nowhere; PyTorch unmaps first, so that this is the moment. */
CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
    struct physical *physical = (struct physical *)(uintptr_t)handle;
    lock();
    used[physical->device] -= physical->size;
    note("cuMemRelease", "'bytes':%zu,'device':%d,'used':%zu", physical->size, physical->device, used[physical->device]);
    unlock();
    free(physical);
    return CUDA_SUCCESS;
}
CUresult cuMemMap(CUdeviceptr address, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
    struct physical *physical = (struct physical *)(uintptr_t)handle;
    lock();
    struct block *block = block_at((void *)address);
    if (block) block->device = physical->device;
    note("cuMemMap", "'bytes':%zu,'device':%d", size, physical->device);
    unlock();
    return block ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemSetAccess(CUdeviceptr address, size_t size, const CUmemAccessDesc *who, size_t count) { return CUDA_SUCCESS; }
CUresult cuMemUnmap(CUdeviceptr address, size_t size) {
    lock();
    struct block *block = block_at((void *)address);
    if (block) {
        lose_values((char *)address, size);
        madvise(block->values + ((char *)address - block->base), size, MADV_DONTNEED);
    }
    note("cuMemUnmap", "'bytes':%zu", size);
    unlock();
    return block ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute, CUdeviceptr address) {
    lock();
    struct block *block = block_at((void *)address);
    int device = block ? block->device : 0;
    unlock();
    if (!block) return CUDA_ERROR_INVALID_VALUE;
    if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) *(CUdeviceptr *)value = address;
    else if (attribute == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL) *(int *)value = device;
    else if (attribute == CU_POINTER_ATTRIBUTE_CONTEXT) *(CUcontext *)value = context_of(device);
    else refuse("cuPointerGetAttribute (of anything but device, context and address)");
    return CUDA_SUCCESS;
}
