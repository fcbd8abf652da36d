/* cuBLAS and cuBLASLt: what is asked is noted, with its sizes and types, and counts as one kernel. */
#include "dry.h"
#include <cublasLt.h>
#include <cublas_v2.h>
#include <stdlib.h>
#include <string.h>

typedef cublasStatus_t status;
typedef cublasOperation_t operation;
static const status OK = CUBLAS_STATUS_SUCCESS;

struct handle {
    struct stream *stream;
    cublasMath_t math;
    cublasPointerMode_t pointers;
};
static struct handle *own(cublasHandle_t handle) { return (struct handle *)handle; }

static const char *type_name(cudaDataType type) {
    switch (type) {
    case CUDA_R_16F: return "float16";
    case CUDA_R_16BF: return "bfloat16";
    case CUDA_R_32F: return "float32";
    case CUDA_R_64F: return "float64";
    case CUDA_C_32F: return "complex64";
    case CUDA_C_64F: return "complex128";
    case CUDA_R_8I: return "int8";
    case CUDA_R_32I: return "int32";
    case CUDA_R_8F_E4M3: return "float8_e4m3";
    case CUDA_R_8F_E5M2: return "float8_e5m2";
    default: return "other";
    }
}

/* --- handles --- */

status cublasCreate_v2(cublasHandle_t *handle) {
    struct handle *made = calloc(1, sizeof *made);
    lock();
    made->stream = stream_of(NULL);
    unlock();
    note("cublasCreate", "'device':%d", current_device);
    *handle = (cublasHandle_t)made;
    return OK;
}
status cublasDestroy_v2(cublasHandle_t handle) {
    free(handle);
    return OK;
}
status cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
    lock();
    own(handle)->stream = stream_of(stream);
    unlock();
    return OK;
}
status cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t size) {
    note("cublasSetWorkspace", "'bytes':%zu", size);
    return OK;
}
status cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
    own(handle)->math = mode;
    return OK;
}
status cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode) {
    *mode = own(handle)->math;
    return OK;
}
status cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
    own(handle)->pointers = mode;
    return OK;
}
status cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t *mode) {
    *mode = own(handle)->pointers;
    return OK;
}
status cublasSetSmCountTarget(cublasHandle_t handle, int count) { return OK; }

/* --- products --- */

static char letter(operation op) { return op == CUBLAS_OP_N ? 'n' : op == CUBLAS_OP_T ? 't' : 'c'; }

static status product(const char *call, cublasHandle_t handle, operation a, operation b, long m, long n, long k, long batch,
                      const char *type) {
    lock();
    struct stream *stream = own(handle)->stream;
    note(call, "'m':%ld,'n':%ld,'k':%ld,'batch':%ld,'transposed':'%c%c','type':'%s','stream':%d,'device':%d", m, n, k, batch,
         letter(a), letter(b), type, stream->id, stream->device);
    cudaError_t error = compute(stream, call);
    unlock();
    return error ? CUBLAS_STATUS_EXECUTION_FAILED : OK;
}

#define GEMM(L, T, NAME)                                                                                                   \
    status cublas##L##gemm_v2(cublasHandle_t h, operation a, operation b, int m, int n, int k, const T *alpha, const T *A, \
                              int lda, const T *B, int ldb, const T *beta, T *C, int ldc) {                                \
        return product("cublas" #L "gemm", h, a, b, m, n, k, 1, NAME);                                                     \
    }                                                                                                                      \
    status cublas##L##gemmStridedBatched(cublasHandle_t h, operation a, operation b, int m, int n, int k, const T *alpha,  \
                                         const T *A, int lda, long long sa, const T *B, int ldb, long long sb,             \
                                         const T *beta, T *C, int ldc, long long sc, int batch) {                          \
        return product("cublas" #L "gemmStridedBatched", h, a, b, m, n, k, batch, NAME);                                   \
    }                                                                                                                      \
    status cublas##L##gemv_v2(cublasHandle_t h, operation a, int m, int n, const T *alpha, const T *A, int lda, const T *x, \
                              int ix, const T *beta, T *y, int iy) {                                                       \
        return product("cublas" #L "gemv", h, a, CUBLAS_OP_N, m, n, 1, 1, NAME);                                           \
    }
GEMM(S, float, "float32")
GEMM(D, double, "float64")
GEMM(C, cuComplex, "complex64")
GEMM(Z, cuDoubleComplex, "complex128")

status cublasSgemmEx(cublasHandle_t h, operation a, operation b, int m, int n, int k, const float *alpha, const void *A,
                     cudaDataType at, int lda, const void *B, cudaDataType bt, int ldb, const float *beta, void *C,
                     cudaDataType ct, int ldc) {
    return product("cublasSgemmEx", h, a, b, m, n, k, 1, type_name(at));
}
status cublasGemmEx(cublasHandle_t h, operation a, operation b, int m, int n, int k, const void *alpha, const void *A,
                    cudaDataType at, int lda, const void *B, cudaDataType bt, int ldb, const void *beta, void *C,
                    cudaDataType ct, int ldc, cublasComputeType_t compute_type, cublasGemmAlgo_t algorithm) {
    return product("cublasGemmEx", h, a, b, m, n, k, 1, type_name(at));
}
status cublasGemmStridedBatchedEx(cublasHandle_t h, operation a, operation b, int m, int n, int k, const void *alpha,
                                  const void *A, cudaDataType at, int lda, long long sa, const void *B, cudaDataType bt,
                                  int ldb, long long sb, const void *beta, void *C, cudaDataType ct, int ldc, long long sc,
                                  int batch, cublasComputeType_t compute_type, cublasGemmAlgo_t algorithm) {
    return product("cublasGemmStridedBatchedEx", h, a, b, m, n, k, batch, type_name(at));
}

/* A dot product that is to be put into memory of the host would be a value that nobody computed. */
static status dot(const char *call, cublasHandle_t handle, int n, const char *type) {
    if (own(handle)->pointers == CUBLAS_POINTER_MODE_HOST) refuse(call);
    return product(call, handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, n, 1, type);
}
#define DOT(L, T, NAME)                                                                                            \
    status cublas##L##_v2(cublasHandle_t h, int n, const T *x, int ix, const T *y, int iy, T *result) {            \
        return dot("cublas" #L, h, n, NAME);                                                                       \
    }
DOT(Sdot, float, "float32")
DOT(Ddot, double, "float64")
DOT(Cdotu, cuComplex, "complex64")
DOT(Cdotc, cuComplex, "complex64")
DOT(Zdotu, cuDoubleComplex, "complex128")
DOT(Zdotc, cuDoubleComplex, "complex128")
status cublasDotEx(cublasHandle_t h, int n, const void *x, cudaDataType xt, int ix, const void *y, cudaDataType yt, int iy,
                   void *result, cudaDataType rt, cudaDataType et) {
    return dot("cublasDotEx", h, n, type_name(xt));
}

/* --- cuBLASLt --- */

struct description {
    int32_t a, b, epilogue;
};
struct layout {
    cudaDataType type;
    uint64_t rows, columns;
    int32_t batch;
};

status cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *made, cublasComputeType_t compute_type, cudaDataType scale) {
    *made = calloc(1, sizeof(struct description));
    ((struct description *)*made)->epilogue = CUBLASLT_EPILOGUE_DEFAULT;
    return OK;
}
status cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t description) {
    free(description);
    return OK;
}
status cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t handle, cublasLtMatmulDescAttributes_t attribute,
                                      const void *value, size_t size) {
    struct description *description = (struct description *)handle;
    if (attribute == CUBLASLT_MATMUL_DESC_TRANSA) memcpy(&description->a, value, sizeof description->a);
    if (attribute == CUBLASLT_MATMUL_DESC_TRANSB) memcpy(&description->b, value, sizeof description->b);
    if (attribute == CUBLASLT_MATMUL_DESC_EPILOGUE) memcpy(&description->epilogue, value, sizeof description->epilogue);
    return OK;
}
status cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *made, cudaDataType type, uint64_t rows, uint64_t columns,
                                  int64_t stride) {
    struct layout *layout = calloc(1, sizeof *layout);
    *layout = (struct layout){type, rows, columns, 1};
    *made = (cublasLtMatrixLayout_t)layout;
    return OK;
}
status cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
    free(layout);
    return OK;
}
status cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t handle, cublasLtMatrixLayoutAttribute_t attribute,
                                        const void *value, size_t size) {
    struct layout *layout = (struct layout *)handle;
    if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) memcpy(&layout->batch, value, sizeof layout->batch);
    return OK;
}
status cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *made) {
    *made = calloc(1, 64);
    return OK;
}
status cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
    free(preference);
    return OK;
}
status cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                            cublasLtMatmulPreferenceAttributes_t attribute, const void *value, size_t size) {
    return OK;
}
/* One algorithm is found, whatever is asked; it needs no workspace. */
status cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t description, cublasLtMatrixLayout_t a,
                                      cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                      cublasLtMatmulPreference_t preference, int wanted,
                                      cublasLtMatmulHeuristicResult_t *results, int *found) {
    memset(results, 0, sizeof *results);
    *found = 1;
    return OK;
}
status cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t how, const void *alpha, const void *A,
                      cublasLtMatrixLayout_t a, const void *B, cublasLtMatrixLayout_t b, const void *beta, const void *C,
                      cublasLtMatrixLayout_t c, void *D, cublasLtMatrixLayout_t d, const cublasLtMatmulAlgo_t *algorithm,
                      void *workspace, size_t size, cudaStream_t on) {
    struct description *description = (struct description *)how;
    struct layout *left = (struct layout *)a, *result = (struct layout *)d;
    lock();
    struct stream *stream = stream_of(on);
    note("cublasLtMatmul",
         "'m':%ld,'n':%ld,'k':%ld,'batch':%d,'transposed':'%c%c','type':'%s','epilogue':%d,'workspace':%zu,'stream':%d,"
         "'device':%d",
         (long)result->rows, (long)result->columns, (long)(description->a == CUBLAS_OP_N ? left->columns : left->rows),
         result->batch, letter(description->a), letter(description->b), type_name(left->type), description->epilogue, size,
         stream->id, stream->device);
    cudaError_t error = compute(stream, "cublasLtMatmul");
    unlock();
    return error ? CUBLAS_STATUS_EXECUTION_FAILED : OK;
}
