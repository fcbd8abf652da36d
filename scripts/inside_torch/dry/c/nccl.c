/* NCCL in one process, of any number of ranks: what is asked is noted. A collective that only moves data acts as if each
   rank held what this one holds; of one that computes, the result is not known. */
#include "dry.h"
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef ncclResult_t result;
struct communicator {
    int id, size, rank;
};
static struct communicator *own(ncclComm_t handle) { return (struct communicator *)handle; }

static result create(ncclComm_t *made, int size, int rank) {
    static int next_id = 1;
    struct communicator *communicator = calloc(1, sizeof *communicator);
    lock();
    *communicator = (struct communicator){next_id++, size, rank};
    unlock();
    note("ncclCommInit", "'communicator':%d,'size':%d,'rank':%d", communicator->id, size, rank);
    *made = (ncclComm_t)communicator;
    return ncclSuccess;
}
result ncclGetUniqueId(ncclUniqueId *id) {
    memset(id, 0, sizeof *id);
    return ncclSuccess;
}
result ncclCommInitRank(ncclComm_t *made, int size, ncclUniqueId id, int rank) { return create(made, size, rank); }
result ncclCommInitRankConfig(ncclComm_t *made, int size, ncclUniqueId id, int rank, ncclConfig_t *config) {
    return create(made, size, rank);
}
result ncclCommInitRankScalable(ncclComm_t *made, int size, int rank, int ids, ncclUniqueId *id, ncclConfig_t *config) {
    return create(made, size, rank);
}
/* Nobody can ask the other ranks for their colours: all are taken to have this one's. */
result ncclCommSplit(ncclComm_t from, int colour, int key, ncclComm_t *made, ncclConfig_t *config) {
    return create(made, own(from)->size, own(from)->rank);
}
result ncclCommCount(ncclComm_t communicator, int *size) {
    *size = own(communicator)->size;
    return ncclSuccess;
}
result ncclCommUserRank(ncclComm_t communicator, int *rank) {
    *rank = own(communicator)->rank;
    return ncclSuccess;
}
result ncclCommFinalize(ncclComm_t communicator) { return ncclSuccess; }
/* A communicator stays: PyTorch's threads may still name it. */
result ncclCommDestroy(ncclComm_t communicator) { return ncclSuccess; }
result ncclCommAbort(ncclComm_t communicator) { return ncclSuccess; }
result ncclCommGetAsyncError(ncclComm_t communicator, result *error) {
    *error = ncclSuccess;
    return ncclSuccess;
}
const char *ncclGetLastError(ncclComm_t communicator) { return ""; }
result ncclGroupStart(void) { return ncclSuccess; }
result ncclGroupEnd(void) { return ncclSuccess; }
result ncclRedOpCreatePreMulSum(ncclRedOp_t *made, void *factor, ncclDataType_t type, ncclScalarResidence_t where_it_is,
                                ncclComm_t communicator) {
    *made = ncclSum;
    return ncclSuccess;
}
result ncclRedOpDestroy(ncclRedOp_t operation, ncclComm_t communicator) { return ncclSuccess; }

/* --- collectives --- */

static size_t bytes_of(ncclDataType_t type, size_t count) {
    switch (type) {
    case ncclFloat16:
    case ncclBfloat16: return 2 * count;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32: return 4 * count;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64: return 8 * count;
    default: return count;
    }
}

/* `from` is moved to each of `times` places from `to` on; without it what is written there is not known. */
static result collective(const char *call, const void *from, void *to, size_t size, int times, int with,
                         ncclComm_t handle, cudaStream_t on) {
    struct communicator *communicator = own(handle);
    bool now;
    lock();
    struct stream *stream = stream_of(on);
    note(call, "'bytes':%zu,'communicator':%d,'size':%d,'with':%d,'stream':%d,'device':%d", size, communicator->id,
         communicator->size, with, stream->id, stream->device);
    cudaError_t error = submit(stream, KERNEL, call, &now);
    for (int i = 0; !error && now && i < times; i++) move_values((char *)to + i * size, from, size);
    unlock();
    return error ? ncclUnhandledCudaError : ncclSuccess;
}

static const int ALL = -1;
result ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                     ncclComm_t communicator, cudaStream_t stream) {
    return collective("ncclAllReduce", NULL, to, bytes_of(type, count), 1, ALL, communicator, stream);
}
result ncclReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t operation, int root,
                  ncclComm_t communicator, cudaStream_t stream) {
    return collective("ncclReduce", NULL, to, bytes_of(type, count), root == own(communicator)->rank, root, communicator,
                      stream);
}
result ncclReduceScatter(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t operation,
                         ncclComm_t communicator, cudaStream_t stream) {
    return collective("ncclReduceScatter", NULL, to, bytes_of(type, count), 1, ALL, communicator, stream);
}
result ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t communicator,
                     cudaStream_t stream) {
    return collective("ncclAllGather", from, to, bytes_of(type, count), own(communicator)->size, ALL, communicator, stream);
}
result ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root, ncclComm_t communicator,
                     cudaStream_t stream) {
    return collective("ncclBroadcast", from, to, bytes_of(type, count), 1, root, communicator, stream);
}
result ncclBcast(void *data, size_t count, ncclDataType_t type, int root, ncclComm_t communicator, cudaStream_t stream) {
    return collective("ncclBcast", data, data, bytes_of(type, count), 1, root, communicator, stream);
}
result ncclSend(const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                cudaStream_t stream) {
    return collective("ncclSend", NULL, NULL, bytes_of(type, count), 0, peer, communicator, stream);
}
result ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t communicator, cudaStream_t stream) {
    return collective("ncclRecv", NULL, to, bytes_of(type, count), 1, peer, communicator, stream);
}
