/* NVML, which PyTorch loads by its name: devices are counted with it, and it is asked what they are linked by. No wheel
   holds its header; the types are those of its documentation. */
#include "dry.h"

typedef int result;
typedef void *device;
enum { SUCCESS = 0, NOT_SUPPORTED = 3, NOT_FOUND = 6 };

result nvmlInit_v2(void) { return SUCCESS; }
result nvmlInit(void) { return SUCCESS; }
result nvmlShutdown(void) { return SUCCESS; }
const char *nvmlErrorString(result error) { return error == SUCCESS ? "Success" : "Not Supported"; }
result nvmlSystemGetCudaDriverVersion_v2(int *version) { return (result)cudaDriverGetVersion(version); }
result nvmlDeviceGetCount_v2(unsigned *count) {
    *count = dry.devices;
    return SUCCESS;
}
result nvmlDeviceGetHandleByIndex_v2(unsigned index, device *found) {
    *found = (device)(uintptr_t)(index + 1);
    return index < (unsigned)dry.devices ? SUCCESS : NOT_FOUND;
}
result nvmlDeviceGetHandleByPciBusId_v2(const char *id, device *found) {
    *found = (device)1;
    return SUCCESS;
}
result nvmlDeviceGetNvLinkRemoteDeviceType(device of, unsigned link, int *type) { return NOT_SUPPORTED; }
result nvmlDeviceGetNvLinkRemotePciInfo_v2(device of, unsigned link, void *info) { return NOT_SUPPORTED; }
result nvmlDeviceGetP2PStatus(device from, device to, int what, int *status) { return NOT_SUPPORTED; }
/* No other process uses the device. */
result nvmlDeviceGetComputeRunningProcesses(device of, unsigned *count, void *processes) {
    *count = 0;
    return SUCCESS;
}
result nvmlDeviceGetComputeRunningProcesses_v3(device of, unsigned *count, void *processes) {
    *count = 0;
    return SUCCESS;
}
/* The caller's structure is zero already: no fabric. */
result nvmlDeviceGetGpuFabricInfoV(device of, void *info) { return SUCCESS; }
