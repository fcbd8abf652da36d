/* Devices: how many, and what they say of themselves. They say that they are of compute capability 9.0. */
#include "dry.h"
#include <stdio.h>
#include <string.h>

static const int VERSION = 13000;

cudaError_t cudaGetDeviceCount(int *count) {
    *count = dry.devices;
    return failed(dry.devices ? cudaSuccess : cudaErrorNoDevice);
}
cudaError_t cudaGetDevice(int *device) {
    *device = current_device;
    return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
    if (device < 0 || device >= dry.devices) return failed(cudaErrorInvalidDevice);
    current_device = device;
    return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) {
    *version = VERSION;
    return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
    if (device < 0 || device >= dry.devices) return failed(cudaErrorInvalidDevice);
    memset(p, 0, sizeof *p);
    strcpy(p->name, "Dry GPU (computes nothing)");
    p->uuid.bytes[15] = (char)device;
    p->pciBusID = device + 1;
    p->totalGlobalMem = dry.memory;
    p->major = 9;
    p->minor = 0;
    p->multiProcessorCount = 132;
    p->warpSize = 32;
    p->regsPerBlock = p->regsPerMultiprocessor = 65536;
    p->sharedMemPerBlock = 49152;
    p->sharedMemPerBlockOptin = 232448;
    p->sharedMemPerMultiprocessor = 233472;
    p->reservedSharedMemPerBlock = 1024;
    p->maxThreadsPerBlock = 1024;
    p->maxThreadsPerMultiProcessor = 2048;
    p->maxBlocksPerMultiProcessor = 32;
    p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
    p->maxThreadsDim[2] = 64;
    p->maxGridSize[0] = 2147483647;
    p->maxGridSize[1] = p->maxGridSize[2] = 65535;
    p->totalConstMem = 65536;
    p->l2CacheSize = 52428800;
    p->memoryBusWidth = 5120;
    p->textureAlignment = 512;
    p->concurrentKernels = p->unifiedAddressing = p->canMapHostMemory = p->asyncEngineCount = 1;
    p->cooperativeLaunch = p->memoryPoolsSupported = 1;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    struct cudaDeviceProp p;
    cudaError_t error = cudaGetDeviceProperties(&p, device);
    if (error) return error;
    char name[48];
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: *value = p.major; break;
    case cudaDevAttrComputeCapabilityMinor: *value = p.minor; break;
    case cudaDevAttrMultiProcessorCount: *value = p.multiProcessorCount; break;
    case cudaDevAttrClockRate: *value = 1980000; break;
    case cudaDevAttrMemoryClockRate: *value = 2619000; break;
    case cudaDevAttrGlobalMemoryBusWidth: *value = p.memoryBusWidth; break;
    case cudaDevAttrWarpSize: *value = p.warpSize; break;
    case cudaDevAttrMaxThreadsPerBlock: *value = p.maxThreadsPerBlock; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = p.maxThreadsPerMultiProcessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = p.maxBlocksPerMultiProcessor; break;
    case cudaDevAttrMaxGridDimX: *value = p.maxGridSize[0]; break;
    case cudaDevAttrMaxGridDimY: *value = p.maxGridSize[1]; break;
    case cudaDevAttrMaxGridDimZ: *value = p.maxGridSize[2]; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = (int)p.sharedMemPerBlock; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = (int)p.sharedMemPerBlockOptin; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = (int)p.sharedMemPerMultiprocessor; break;
    case cudaDevAttrMaxRegistersPerBlock: *value = p.regsPerBlock; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = p.regsPerMultiprocessor; break;
    case cudaDevAttrL2CacheSize: *value = p.l2CacheSize; break;
    case cudaDevAttrTextureAlignment: *value = (int)p.textureAlignment; break;
    case cudaDevAttrCooperativeLaunch: *value = 1; break;
    case cudaDevAttrHostRegisterSupported: *value = 1; break;
    case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    case cudaDevAttrCanUseHostPointerForRegisteredMem: *value = 1; break;
    case cudaDevAttrUnifiedAddressing: *value = 1; break;
    case cudaDevAttrHostNativeAtomicSupported: *value = 0; break;
    case cudaDevAttrGPUDirectRDMASupported: *value = 0; break;
    default:
        snprintf(name, sizeof name, "cudaDeviceGetAttribute (attribute %d)", (int)attribute);
        refuse(name);
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int size, int device) {
    snprintf(id, size, "0000:%02x:00.0", device + 1);
    return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    *can = device != peer;
    return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    static bool enabled[MAX_DEVICES][MAX_DEVICES];
    if (peer < 0 || peer >= dry.devices || peer == current_device) return failed(cudaErrorInvalidDevice);
    lock();
    bool before = enabled[current_device][peer];
    enabled[current_device][peer] = true;
    unlock();
    note("cudaDeviceEnablePeerAccess", "'device':%d,'peer':%d", current_device, peer);
    return failed(before ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess);
}

cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }
