/* cuDNN: what is asked is noted, with its tensors, and counts as one kernel. Most comes as a graph of operations, by the
   backend interface: descriptors take attributes by number, and a plan of descriptors is executed. Whether the real library
   would take a graph is not judged; a descriptor or an attribute that is not known here ends the program. */
#include "dry.h"
#include <cudnn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cudnnStatus_t status;
static const status OK = CUDNN_STATUS_SUCCESS;

static const char *type_name(cudnnDataType_t type) {
    switch (type) {
    case CUDNN_DATA_FLOAT: return "float32";
    case CUDNN_DATA_DOUBLE: return "float64";
    case CUDNN_DATA_HALF: return "float16";
    case CUDNN_DATA_BFLOAT16: return "bfloat16";
    case CUDNN_DATA_INT8: return "int8";
    case CUDNN_DATA_UINT8: return "uint8";
    case CUDNN_DATA_INT32: return "int32";
    case CUDNN_DATA_INT64: return "int64";
    case CUDNN_DATA_BOOLEAN: return "bool";
    case CUDNN_DATA_FP8_E4M3: return "float8_e4m3";
    case CUDNN_DATA_FP8_E5M2: return "float8_e5m2";
    default: return "other";
    }
}

/* --- handles --- */

struct handle {
    cudaStream_t stream;
};

status cudnnCreate(cudnnHandle_t *made) {
    note("cudnnCreate", "'device':%d", current_device);
    *made = calloc(1, sizeof(struct handle));
    return OK;
}
status cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
    ((struct handle *)handle)->stream = stream;
    return OK;
}
status cudnnGetStream(cudnnHandle_t handle, cudaStream_t *stream) {
    *stream = ((struct handle *)handle)->stream;
    return OK;
}

/* One piece of work of cuDNN's, after which no value is known. `arguments` is JSON, and is freed. */
static status run(const char *call, cudnnHandle_t handle, const char *operation, char *arguments, size_t workspace) {
    lock();
    struct stream *stream = stream_of(((struct handle *)handle)->stream);
    note(call, "'operation':'%s',%s,'workspace':%zu,'stream':%d,'device':%d", operation, arguments, workspace, stream->id,
         stream->device);
    cudaError_t error = compute(stream, operation);
    unlock();
    free(arguments);
    return error ? CUDNN_STATUS_EXECUTION_FAILED : OK;
}

/* --- the backend interface: descriptors --- */

struct attribute {
    int name, type;
    int64_t count;
    char *values;
    struct attribute *next;
};
struct descriptor {
    int kind, owners; /* the program, and each attribute that names it */
    struct attribute *attributes;
};

static size_t size_of(cudnnBackendAttributeType_t type) {
    switch (type) {
    case CUDNN_TYPE_BOOLEAN:
    case CUDNN_TYPE_CHAR: return 1;
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_DOUBLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR: return 8;
    case CUDNN_TYPE_FRACTION: return 16;
    default: return 4; /* float, int32, and the enumerations */
    }
}

static struct attribute *find(const struct descriptor *descriptor, int name) {
    struct attribute *one = descriptor ? descriptor->attributes : NULL;
    while (one && one->name != name) one = one->next;
    return one;
}
static int64_t number(const struct descriptor *descriptor, int name) {
    struct attribute *one = find(descriptor, name);
    int64_t value = 0;
    if (one && one->count) memcpy(&value, one->values, size_of(one->type));
    return value;
}
static struct descriptor *part(const struct descriptor *descriptor, int name) {
    struct attribute *one = find(descriptor, name);
    return one && one->count ? *(struct descriptor **)one->values : NULL;
}

static void drop(struct descriptor *descriptor);
static void own(const struct attribute *one, bool gain) {
    struct descriptor **parts = (struct descriptor **)one->values;
    for (int64_t i = 0; one->type == CUDNN_TYPE_BACKEND_DESCRIPTOR && i < one->count; i++) {
        if (parts[i] && gain) parts[i]->owners++;
        if (parts[i] && !gain) drop(parts[i]);
    }
}
static void drop(struct descriptor *descriptor) {
    if (--descriptor->owners) return;
    for (struct attribute *one = descriptor->attributes, *next; one; one = next) {
        next = one->next;
        own(one, false);
        free(one->values);
        free(one);
    }
    free(descriptor);
}
static void set(struct descriptor *descriptor, int name, int type, int64_t count, const void *values) {
    struct attribute *one = find(descriptor, name), before = {0};
    if (one) before = *one;
    else {
        one = calloc(1, sizeof *one);
        one->next = descriptor->attributes;
        descriptor->attributes = one;
    }
    *one = (struct attribute){name, type, count, malloc(count * size_of(type) + 1), one->next};
    if (count) memcpy(one->values, values, count * size_of(type));
    own(one, true);
    own(&before, false); /* the last, for it may be what is set again */
    free(before.values);
}

status cudnnBackendCreateDescriptor(cudnnBackendDescriptorType_t kind, cudnnBackendDescriptor_t *made) {
    struct descriptor *descriptor = calloc(1, sizeof *descriptor);
    *descriptor = (struct descriptor){kind, 1, NULL};
    *made = descriptor;
    return OK;
}
status cudnnBackendDestroyDescriptor(cudnnBackendDescriptor_t descriptor) {
    if (descriptor) drop(descriptor);
    return OK;
}
status cudnnBackendSetAttribute(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                                cudnnBackendAttributeType_t type, int64_t count, const void *values) {
    set(descriptor, name, type, count, values);
    return OK;
}
status cudnnBackendFinalize(cudnnBackendDescriptor_t descriptor) { return OK; }

/* One engine is found for each graph, without notes and knobs; it needs no workspace. A second list, that of fallbacks, is
   empty: where PyTorch measures which engine is the fastest, it has one to measure. */
static bool engine_of(const struct descriptor *heuristic, int64_t wanted, struct descriptor **results) {
    if (number(heuristic, CUDNN_ATTR_ENGINEHEUR_MODE) == CUDNN_HEUR_MODE_FALLBACK) return false;
    if (wanted) {
        struct descriptor *engine, *graph = part(heuristic, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
        cudnnBackendCreateDescriptor(CUDNN_BACKEND_ENGINE_DESCRIPTOR, (void **)&engine);
        set(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &graph);
        set(results[0], CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &engine);
        drop(engine);
    }
    return true;
}

status cudnnBackendGetAttribute(const cudnnBackendDescriptor_t handle, cudnnBackendAttributeName_t name,
                                cudnnBackendAttributeType_t type, int64_t wanted, int64_t *count, void *values) {
    const struct descriptor *descriptor = handle;
    struct attribute *one = find(descriptor, name);
    int64_t found = 0, value = 0;
    if (one) {
        found = one->count;
        int64_t given = wanted < found ? wanted : found;
        if (type != CUDNN_TYPE_BACKEND_DESCRIPTOR) memcpy(values, one->values, given * size_of(type));
        else /* the caller brings descriptors, which become copies */
            for (int64_t i = 0; i < given; i++) {
                struct attribute *from = ((struct descriptor **)one->values)[i]->attributes;
                for (; from; from = from->next)
                    set(((struct descriptor **)values)[i], from->name, from->type, from->count, from->values);
            }
    } else
        switch ((int)name) {
        case CUDNN_ATTR_ENGINEHEUR_RESULTS: found = engine_of(descriptor, wanted, values); break;
        case CUDNN_ATTR_ENGINE_KNOB_INFO:
        case CUDNN_ATTR_ENGINE_NUMERICAL_NOTE:
        case CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE:
        case CUDNN_ATTR_ENGINECFG_KNOB_CHOICES: break;
        case CUDNN_ATTR_ENGINE_GLOBAL_INDEX: /* one zero each */
        case CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE:
        case CUDNN_ATTR_ENGINECFG_SHARED_MEMORY_USED:
        case CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE:
            found = 1;
            if (wanted) memcpy(values, &value, size_of(type));
            break;
        default: {
            char call[80];
            snprintf(call, sizeof call, "cudnnBackendGetAttribute (of attribute %d)", name);
            refuse(call);
        }
        }
    if (count) *count = found;
    return OK;
}

static void write_list(FILE *out, const char *name, const struct attribute *list) {
    fprintf(out, "\"%s\":[", name);
    for (int64_t i = 0; list && i < list->count; i++) fprintf(out, i ? ",%ld" : "%ld", ((long *)list->values)[i]);
    fputc(']', out);
}
static void write_tensor(FILE *out, const char *name, const struct descriptor *tensor) {
    fprintf(out, "\"%s\":{", name);
    write_list(out, "sizes", find(tensor, CUDNN_ATTR_TENSOR_DIMENSIONS));
    fputc(',', out);
    write_list(out, "strides", find(tensor, CUDNN_ATTR_TENSOR_STRIDES));
    fprintf(out, ",\"type\":\"%s\"}", type_name(number(tensor, CUDNN_ATTR_TENSOR_DATA_TYPE)));
}

static const struct convolution {
    int kind;
    const char *name;
    int x, w, y, how;
} convolutions[] = {
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR, "convolution forward",
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR, "convolution backward data",
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC},
    {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR, "convolution backward filter",
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC},
};

/* A convolution, alone or with what is fused to it. The groups are nowhere said: the tensors' channels tell them. */
static void write_convolution(FILE *out, const struct convolution *one, const struct descriptor *operation) {
    struct descriptor *x = part(operation, one->x), *w = part(operation, one->w), *how = part(operation, one->how);
    struct attribute *of_x = find(x, CUDNN_ATTR_TENSOR_DIMENSIONS), *of_w = find(w, CUDNN_ATTR_TENSOR_DIMENSIONS);
    fputc(',', out);
    write_tensor(out, "x", x);
    fputc(',', out);
    write_tensor(out, "w", w);
    fputc(',', out);
    write_tensor(out, "y", part(operation, one->y));
    fputc(',', out);
    write_list(out, "padding", find(how, CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS));
    fputc(',', out);
    write_list(out, "stride", find(how, CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES));
    fputc(',', out);
    write_list(out, "dilation", find(how, CUDNN_ATTR_CONVOLUTION_DILATIONS));
    int64_t channels = of_x && of_x->count > 1 ? ((int64_t *)of_x->values)[1] : 0;
    int64_t of_group = of_w && of_w->count > 1 ? ((int64_t *)of_w->values)[1] : 0;
    if (of_group) fprintf(out, ",\"groups\":%ld", (long)(channels / of_group));
}

/* Attention: one operation, or two products and what lies between them; five where it runs backward. */
static const char *attention(struct descriptor **operations, int64_t count) {
    int products = 0;
    for (int64_t i = 0; i < count; i++) {
        if (operations[i]->kind == CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR) return "attention forward";
        if (operations[i]->kind == CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR) return "attention backward";
        products += operations[i]->kind == CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR;
    }
    return products == 2 ? "attention forward" : products == 5 ? "attention backward" : NULL;
}

/* The tensors that lie in memory, each once, with the numbers that the program gave them. */
static void write_tensors(FILE *out, struct descriptor **operations, int64_t count) {
    enum { MOST = 64 };
    int64_t seen[MOST], written = 0, i, j;
    fputs(",\"tensors\":{", out);
    for (i = 0; i < count; i++)
        for (struct attribute *one = operations[i]->attributes; one; one = one->next) {
            struct descriptor *tensor = one->type == CUDNN_TYPE_BACKEND_DESCRIPTOR ? part(operations[i], one->name) : NULL;
            if (!tensor || tensor->kind != CUDNN_BACKEND_TENSOR_DESCRIPTOR) continue;
            if (number(tensor, CUDNN_ATTR_TENSOR_IS_VIRTUAL) || number(tensor, CUDNN_ATTR_TENSOR_IS_BY_VALUE)) continue;
            int64_t id = number(tensor, CUDNN_ATTR_TENSOR_UNIQUE_ID);
            for (j = 0; j < written && seen[j] != id; j++) {}
            if (j < written || written == MOST) continue;
            char name[24];
            snprintf(name, sizeof name, "%ld", (long)id);
            if (written) fputc(',', out);
            write_tensor(out, name, tensor);
            seen[written++] = id;
        }
    fputc('}', out);
}

status cudnnBackendExecute(cudnnHandle_t handle, cudnnBackendDescriptor_t plan, cudnnBackendDescriptor_t pack) {
    struct descriptor *engine = part(part(plan, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG), CUDNN_ATTR_ENGINECFG_ENGINE);
    struct attribute *list = find(part(engine, CUDNN_ATTR_ENGINE_OPERATION_GRAPH), CUDNN_ATTR_OPERATIONGRAPH_OPS);
    int64_t count = list ? list->count : 0;
    struct descriptor **operations = list ? (struct descriptor **)list->values : NULL;
    const char *name = attention(operations, count);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "\"operations\":%ld", (long)count);
    if (name) write_tensors(out, operations, count);
    for (int64_t i = 0; i < count && !name; i++)
        for (size_t c = 0; c < sizeof convolutions / sizeof *convolutions && !name; c++)
            if (operations[i]->kind == convolutions[c].kind) {
                name = convolutions[c].name;
                write_convolution(out, &convolutions[c], operations[i]);
            }
    fclose(out);
    if (!name) refuse("cudnnBackendExecute (of a graph that is neither a convolution nor attention)");
    return run("cudnnBackendExecute", handle, name, text, 0);
}

/* --- the older interface: descriptors of tensors, and of what else batch norm and recurrent networks take --- */

enum { MAX_DIMENSIONS = 8 };
struct tensor {
    cudnnDataType_t type;
    int count, sizes[MAX_DIMENSIONS], strides[MAX_DIMENSIONS];
};
struct sequences { /* what a recurrent network reads or writes */
    cudnnDataType_t type;
    int steps, batch, width;
};
struct rnn {
    cudnnRNNMode_t cell;
    cudnnDataType_t type;
    int input, hidden, projected, layers, directions;
};

#define DESCRIPTOR(NAME, SIZE)                                                      \
    status cudnnCreate##NAME##Descriptor(cudnn##NAME##Descriptor_t *made) {         \
        *made = calloc(1, SIZE);                                                    \
        return OK;                                                                  \
    }                                                                               \
    status cudnnDestroy##NAME##Descriptor(cudnn##NAME##Descriptor_t descriptor) {   \
        free(descriptor);                                                           \
        return OK;                                                                  \
    }
DESCRIPTOR(Tensor, sizeof(struct tensor))
DESCRIPTOR(Activation, 1)
DESCRIPTOR(Dropout, 1)
DESCRIPTOR(RNNData, sizeof(struct sequences))
DESCRIPTOR(RNN, sizeof(struct rnn))

status cudnnSetTensorNdDescriptor(cudnnTensorDescriptor_t descriptor, cudnnDataType_t type, int count, const int sizes[],
                                  const int strides[]) {
    struct tensor *tensor = (struct tensor *)descriptor;
    if (count > MAX_DIMENSIONS) return CUDNN_STATUS_NOT_SUPPORTED;
    *tensor = (struct tensor){type, count, {0}, {0}};
    memcpy(tensor->sizes, sizes, count * sizeof *sizes);
    memcpy(tensor->strides, strides, count * sizeof *strides);
    return OK;
}
status cudnnGetTensorNdDescriptor(const cudnnTensorDescriptor_t descriptor, int wanted, cudnnDataType_t *type, int *count,
                                  int sizes[], int strides[]) {
    struct tensor *tensor = (struct tensor *)descriptor;
    int given = wanted < tensor->count ? wanted : tensor->count;
    *type = tensor->type;
    *count = tensor->count;
    memcpy(sizes, tensor->sizes, given * sizeof *sizes);
    memcpy(strides, tensor->strides, given * sizeof *strides);
    return OK;
}
status cudnnSetActivationDescriptor(cudnnActivationDescriptor_t activation, cudnnActivationMode_t mode,
                                    cudnnNanPropagation_t nan, double coefficient) {
    return OK;
}

/* --- batch norm; neither workspace nor reserve is wanted --- */

static status batch_norm(const char *call, cudnnHandle_t handle, const char *operation, cudnnBatchNormMode_t mode,
                         const cudnnTensorDescriptor_t descriptor, size_t workspace) {
    const struct tensor *x = (const struct tensor *)descriptor;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs("\"x\":{\"sizes\":[", out);
    for (int i = 0; i < x->count; i++) fprintf(out, i ? ",%d" : "%d", x->sizes[i]);
    fputs("],\"strides\":[", out);
    for (int i = 0; i < x->count; i++) fprintf(out, i ? ",%d" : "%d", x->strides[i]);
    fprintf(out, "],\"type\":\"%s\"},\"mode\":%d", type_name(x->type), mode);
    fclose(out);
    return run(call, handle, operation, text, workspace);
}

status cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t with, const cudnnTensorDescriptor_t x,
    const cudnnTensorDescriptor_t z, const cudnnTensorDescriptor_t y, const cudnnTensorDescriptor_t scale,
    const cudnnActivationDescriptor_t activation, size_t *size) {
    *size = 0;
    return OK;
}
status cudnnGetBatchNormalizationBackwardExWorkspaceSize(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t with, const cudnnTensorDescriptor_t x,
    const cudnnTensorDescriptor_t y, const cudnnTensorDescriptor_t dy, const cudnnTensorDescriptor_t dz,
    const cudnnTensorDescriptor_t dx, const cudnnTensorDescriptor_t scale, const cudnnActivationDescriptor_t activation,
    size_t *size) {
    *size = 0;
    return OK;
}
status cudnnGetBatchNormalizationTrainingExReserveSpaceSize(cudnnHandle_t handle, cudnnBatchNormMode_t mode,
                                                            cudnnBatchNormOps_t with,
                                                            const cudnnActivationDescriptor_t activation,
                                                            const cudnnTensorDescriptor_t x, size_t *size) {
    *size = 0;
    return OK;
}
status cudnnBatchNormalizationForwardTrainingEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t with, const void *alpha, const void *beta,
    const cudnnTensorDescriptor_t x, const void *X, const cudnnTensorDescriptor_t z, const void *Z,
    const cudnnTensorDescriptor_t y, void *Y, const cudnnTensorDescriptor_t scale, const void *weight, const void *bias,
    double factor, void *running_mean, void *running_variance, double epsilon, void *mean, void *inverse,
    cudnnActivationDescriptor_t activation, void *workspace, size_t workspace_size, void *reserve, size_t reserve_size) {
    return batch_norm("cudnnBatchNormalizationForwardTrainingEx", handle, "batch norm forward", mode, x, workspace_size);
}
status cudnnBatchNormalizationForwardInference(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, const void *alpha, const void *beta, const cudnnTensorDescriptor_t x,
    const void *X, const cudnnTensorDescriptor_t y, void *Y, const cudnnTensorDescriptor_t scale, const void *weight,
    const void *bias, const void *mean, const void *variance, double epsilon) {
    return batch_norm("cudnnBatchNormalizationForwardInference", handle, "batch norm inference", mode, x, 0);
}
status cudnnBatchNormalizationBackwardEx(
    cudnnHandle_t handle, cudnnBatchNormMode_t mode, cudnnBatchNormOps_t with, const void *alpha, const void *beta,
    const void *alpha_parameters, const void *beta_parameters, const cudnnTensorDescriptor_t x, const void *X,
    const cudnnTensorDescriptor_t y, const void *Y, const cudnnTensorDescriptor_t dy, const void *DY,
    const cudnnTensorDescriptor_t dz, void *DZ, const cudnnTensorDescriptor_t dx, void *DX,
    const cudnnTensorDescriptor_t scale, const void *weight, const void *bias, void *dweight, void *dbias, double epsilon,
    const void *mean, const void *inverse, cudnnActivationDescriptor_t activation, void *workspace, size_t workspace_size,
    void *reserve, size_t reserve_size) {
    return batch_norm("cudnnBatchNormalizationBackwardEx", handle, "batch norm backward", mode, x, workspace_size);
}

/* --- recurrent networks --- */

/* The size of the state of dropout is made up; a kernel fills it. */
status cudnnDropoutGetStatesSize(cudnnHandle_t handle, size_t *size) {
    *size = 1 << 20;
    return OK;
}
status cudnnSetDropoutDescriptor(cudnnDropoutDescriptor_t dropout, cudnnHandle_t handle, float probability, void *states,
                                 size_t size, unsigned long long seed) {
    char text[32];
    if (!states) return OK;
    snprintf(text, sizeof text, "\"bytes\":%zu", size);
    return run("cudnnSetDropoutDescriptor", handle, "dropout state", strdup(text), 0);
}
status cudnnRestoreDropoutDescriptor(cudnnDropoutDescriptor_t dropout, cudnnHandle_t handle, float probability, void *states,
                                     size_t size, unsigned long long seed) {
    return OK;
}

status cudnnSetRNNDescriptor_v8(cudnnRNNDescriptor_t descriptor, cudnnRNNAlgo_t algorithm, cudnnRNNMode_t cell,
                                cudnnRNNBiasMode_t bias, cudnnDirectionMode_t direction, cudnnRNNInputMode_t input_mode,
                                cudnnDataType_t type, cudnnDataType_t precision, cudnnMathType_t math, int32_t input,
                                int32_t hidden, int32_t projected, int32_t layers, cudnnDropoutDescriptor_t dropout,
                                uint32_t flags) {
    if (bias != CUDNN_RNN_DOUBLE_BIAS) refuse("cudnnSetRNNDescriptor_v8 (with other than two biases)");
    *(struct rnn *)descriptor = (struct rnn){cell, type, input, hidden, projected, layers,
                                             direction == CUDNN_BIDIRECTIONAL ? 2 : 1};
    return OK;
}
status cudnnSetRNNDataDescriptor(cudnnRNNDataDescriptor_t descriptor, cudnnDataType_t type, cudnnRNNDataLayout_t layout,
                                 int steps, int batch, int width, const int lengths[], void *padding) {
    *(struct sequences *)descriptor = (struct sequences){type, steps, batch, width};
    return OK;
}
status cudnnGetRNNTempSpaceSizes(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode,
                                 cudnnRNNDataDescriptor_t x, size_t *workspace, size_t *reserve) {
    if (workspace) *workspace = 0;
    if (reserve) *reserve = 0;
    return OK;
}

static int gates(const struct rnn *rnn) { return rnn->cell == CUDNN_LSTM ? 4 : rnn->cell == CUDNN_GRU ? 3 : 1; }

/* The weights: of each layer first the matrices of the input, gate by gate, then those of the state and of the projection,
   then the biases. The real order is not known; each part has its real size, and no gap is between them. */
static void shape(const struct rnn *rnn, int layer, int id, int *rows, int *columns, int *bias) {
    int each = gates(rnn);
    int read = layer < rnn->directions ? rnn->input : rnn->projected * rnn->directions;
    *rows = id < 2 * each ? rnn->hidden : rnn->projected;
    *columns = id < each ? read : id < 2 * each ? rnn->projected : rnn->hidden;
    *bias = id < 2 * each ? rnn->hidden : 0;
}
static size_t place(const struct rnn *rnn, int layer, int id, bool of_bias) { /* in elements */
    int matrices = 2 * gates(rnn) + (rnn->projected != rnn->hidden), rows, columns, bias;
    size_t elements = 0;
    for (int l = 0; l <= layer; l++) {
        for (int i = 0; i < matrices && (l < layer || of_bias || i < id); i++) {
            shape(rnn, l, i, &rows, &columns, &bias);
            elements += (size_t)rows * columns;
        }
        for (int i = 0; i < matrices && (l < layer || (of_bias && i < id)); i++) {
            shape(rnn, l, i, &rows, &columns, &bias);
            elements += bias;
        }
    }
    return elements;
}
static size_t element_size(cudnnDataType_t type) {
    return type == CUDNN_DATA_DOUBLE ? 8 : type == CUDNN_DATA_FLOAT ? 4 : 2;
}
status cudnnGetRNNWeightSpaceSize(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, size_t *size) {
    struct rnn *rnn = (struct rnn *)descriptor;
    *size = place(rnn, rnn->layers * rnn->directions, 0, false) * element_size(rnn->type);
    return OK;
}
status cudnnGetRNNWeightParams(cudnnHandle_t handle, cudnnRNNDescriptor_t descriptor, int32_t layer, size_t size,
                               const void *weights, int32_t id, cudnnTensorDescriptor_t matrix, void **matrix_at,
                               cudnnTensorDescriptor_t bias, void **bias_at) {
    struct rnn *rnn = (struct rnn *)descriptor;
    int rows, columns, length;
    shape(rnn, layer, id, &rows, &columns, &length);
    char *base = (char *)weights;
    size_t each = element_size(rnn->type);
    /* PyTorch asks for one of the two, and gives null for the other. */
    if (matrix) *(struct tensor *)matrix = (struct tensor){rnn->type, 3, {1, rows, columns}, {rows * columns, columns, 1}};
    if (matrix_at) *matrix_at = base + each * place(rnn, layer, id, false);
    if (bias) *(struct tensor *)bias = (struct tensor){rnn->type, 3, {1, length, 1}, {length, 1, 1}};
    if (bias_at) *bias_at = length ? base + each * place(rnn, layer, id, true) : NULL;
    return OK;
}

static status recurrent(const char *call, cudnnHandle_t handle, const char *operation, cudnnRNNDescriptor_t descriptor,
                        cudnnRNNDataDescriptor_t x, size_t workspace) {
    static const char *cells[] = {"relu", "tanh", "lstm", "gru"};
    struct rnn *rnn = (struct rnn *)descriptor;
    struct sequences *data = (struct sequences *)x;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fprintf(out, "\"cell\":\"%s\",\"steps\":%d,\"batch\":%d,\"input\":%d,\"hidden\":%d,\"projected\":%d,\"layers\":%d,"
                 "\"directions\":%d,\"type\":\"%s\"",
            cells[rnn->cell], data->steps, data->batch, rnn->input, rnn->hidden, rnn->projected, rnn->layers,
            rnn->directions, type_name(rnn->type));
    fclose(out);
    return run(call, handle, operation, text, workspace);
}
status cudnnRNNForward(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnForwardMode_t mode, const int32_t lengths[],
                       cudnnRNNDataDescriptor_t x, const void *X, cudnnRNNDataDescriptor_t y, void *Y,
                       cudnnTensorDescriptor_t h, const void *hx, void *hy, cudnnTensorDescriptor_t c, const void *cx,
                       void *cy, size_t weights_size, const void *weights, size_t workspace_size, void *workspace,
                       size_t reserve_size, void *reserve) {
    return recurrent("cudnnRNNForward", handle, "rnn forward", rnn, x, workspace_size);
}
status cudnnRNNBackwardData_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, const int32_t lengths[],
                               cudnnRNNDataDescriptor_t y, const void *Y, const void *dy, cudnnRNNDataDescriptor_t x,
                               void *dx, cudnnTensorDescriptor_t h, const void *hx, const void *dhy, void *dhx,
                               cudnnTensorDescriptor_t c, const void *cx, const void *dcy, void *dcx, size_t weights_size,
                               const void *weights, size_t workspace_size, void *workspace, size_t reserve_size,
                               void *reserve) {
    return recurrent("cudnnRNNBackwardData", handle, "rnn backward data", rnn, x, workspace_size);
}
status cudnnRNNBackwardWeights_v8(cudnnHandle_t handle, cudnnRNNDescriptor_t rnn, cudnnWgradMode_t add,
                                  const int32_t lengths[], cudnnRNNDataDescriptor_t x, const void *X,
                                  cudnnTensorDescriptor_t h, const void *hx, cudnnRNNDataDescriptor_t y, const void *Y,
                                  size_t weights_size, void *dweights, size_t workspace_size, void *workspace,
                                  size_t reserve_size, void *reserve) {
    return recurrent("cudnnRNNBackwardWeights", handle, "rnn backward weights", rnn, x, workspace_size);
}
