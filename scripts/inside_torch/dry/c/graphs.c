/* CUDA graphs: a stream that captures takes its work as nodes, each with the nodes that it comes after. A graph is
   kept until the process ends: events and executables still name its nodes. */
#include "dry.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long long next_id = 1;
static int active_count, search;
static __thread enum cudaStreamCaptureMode thread_mode = cudaStreamCaptureModeGlobal;

static const char *const KINDS[] = {"kernel", "copy", "fill", "host function"};

/* --- work that is captured --- */

cudaError_t submit(struct stream *stream, enum node_kind kind, const char *name, bool *now) {
    struct graph *graph = stream->capture;
    *now = !graph;
    if (!graph) {
        stream->submitted++;
        return cudaSuccess;
    }
    if (graph->invalid) return failed(cudaErrorStreamCaptureInvalidated);
    if (graph->count == graph->room) {
        graph->room = graph->room ? 2 * graph->room : 64;
        graph->nodes = realloc(graph->nodes, graph->room * sizeof *graph->nodes);
    }
    struct node *node = calloc(1, sizeof *node);
    node->kind = kind;
    node->name = strdup(name);
    node->before_count = stream->front.count;
    memcpy(node->before, stream->front.nodes, sizeof node->before);
    graph->nodes[graph->count++] = node;
    stream->front = (struct front){1, {node}};
    return cudaSuccess;
}

/* In the mode "global" a capture forbids such a call to every thread, in "thread local" to its own; a thread that is
   itself in the mode "relaxed" may call what it likes. */
cudaError_t unsafe_in_capture(void) {
    struct graph *hindered = NULL;
    if (!active_count || thread_mode == cudaStreamCaptureModeRelaxed) return cudaSuccess;
    lock();
    for (struct stream *stream = all_streams; stream && !hindered; stream = stream->next) {
        struct graph *graph = stream->capture;
        bool own = graph && graph->thread == pthread_self();
        bool global = graph && graph->mode == cudaStreamCaptureModeGlobal && thread_mode == cudaStreamCaptureModeGlobal;
        if (graph && graph->mode != cudaStreamCaptureModeRelaxed && (own || global)) hindered = graph;
    }
    if (hindered) hindered->invalid = true;
    unlock();
    return hindered ? failed(cudaErrorStreamCaptureUnsupported) : cudaSuccess;
}

static void join(struct front *front, struct node *const *nodes, int count) {
    for (int i = 0; i < count; i++) {
        bool there = false;
        for (int k = 0; k < front->count; k++) there |= front->nodes[k] == nodes[i];
        if (there) continue;
        if (front->count == MAX_FRONT) refuse("cudaStreamWaitEvent (a node after more than 64 others)");
        front->nodes[front->count++] = nodes[i];
    }
}

cudaError_t wait_in_capture(struct stream *stream, struct graph *graph, const struct front *front) {
    if (!graph || !graph->active || (stream->capture && stream->capture != graph)) {
        if (stream->capture) stream->capture->invalid = true;
        return stream->capture ? cudaErrorStreamCaptureIsolation : cudaErrorCapturedEvent;
    }
    if (!stream->capture) {
        stream->capture = graph;
        stream->front.count = 0;
    }
    join(&stream->front, front->nodes, front->count);
    return cudaSuccess;
}

static void mark(struct node *node) {
    if (node->mark == search) return;
    node->mark = search;
    for (int i = 0; i < node->before_count; i++) mark(node->before[i]);
}

/* Whether what other streams did in this capture comes before the end of the stream that began it. */
static bool joined(const struct graph *graph) {
    search++;
    for (int i = 0; i < graph->origin->front.count; i++) mark(graph->origin->front.nodes[i]);
    for (int i = 0; i < graph->count; i++)
        if (graph->nodes[i]->mark != search) return false;
    return true;
}

/* --- capture --- */

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
    enum cudaStreamCaptureMode before = thread_mode;
    thread_mode = *mode;
    *mode = before;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, enum cudaStreamCaptureMode mode) {
    cudaError_t error = cudaSuccess;
    lock();
    struct stream *stream = stream_of(handle);
    if (!stream->id) error = cudaErrorStreamCaptureUnsupported; /* the legacy stream */
    else if (stream->capture) error = cudaErrorIllegalState;
    else {
        struct graph *graph = calloc(1, sizeof *graph);
        *graph = (struct graph){.id = next_id++, .active = true, .mode = mode, .thread = pthread_self(), .origin = stream};
        stream->capture = graph;
        stream->front.count = 0;
        active_count++;
        note("cudaStreamBeginCapture", "'stream':%d,'device':%d,'mode':%d", stream->id, stream->device, (int)mode);
    }
    unlock();
    return failed(error);
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t *result) {
    cudaError_t error = cudaSuccess;
    *result = NULL;
    lock();
    struct stream *stream = stream_of(handle);
    struct graph *graph = stream->capture;
    if (!graph) error = cudaErrorIllegalState;
    else if (graph->origin != stream) error = cudaErrorStreamCaptureUnmatched;
    else {
        error = graph->invalid ? cudaErrorStreamCaptureInvalidated : joined(graph) ? cudaSuccess : cudaErrorStreamCaptureUnjoined;
        for (struct stream *one = all_streams; one; one = one->next)
            if (one->capture == graph) one->capture = NULL;
        graph->active = false;
        active_count--;
        if (!error) *result = (cudaGraph_t)graph;
        note("cudaStreamEndCapture", "'stream':%d,'device':%d,'nodes':%d,'ok':%s", stream->id, stream->device, graph->count,
             error ? "false" : "true");
    }
    unlock();
    return failed(error);
}

static enum cudaStreamCaptureStatus status_of(const struct stream *stream) {
    return !stream->capture           ? cudaStreamCaptureStatusNone
           : stream->capture->invalid ? cudaStreamCaptureStatusInvalidated
                                      : cudaStreamCaptureStatusActive;
}
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
    lock();
    *status = status_of(stream_of(stream));
    unlock();
    return cudaSuccess;
}
cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **front, const cudaGraphEdgeData **edges,
                                     size_t *count) {
    lock();
    struct stream *stream = stream_of(handle);
    *status = status_of(stream);
    if (id) *id = stream->capture ? stream->capture->id : 0;
    if (graph) *graph = (cudaGraph_t)stream->capture;
    if (front) *front = (const cudaGraphNode_t *)stream->front.nodes;
    if (edges) *edges = NULL;
    if (count) *count = stream->capture ? stream->front.count : 0;
    unlock();
    return cudaSuccess;
}
cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t *nodes, const cudaGraphEdgeData *edges,
                                                size_t count, unsigned flags) {
    lock();
    struct stream *stream = stream_of(handle);
    if (flags == cudaStreamSetCaptureDependencies) stream->front.count = 0;
    join(&stream->front, (struct node *const *)nodes, (int)count);
    unlock();
    return failed(stream->capture ? cudaSuccess : cudaErrorIllegalState);
}

/* --- graphs --- */

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph, unsigned long long flags) {
    *executable = (cudaGraphExec_t)graph;
    note("cudaGraphInstantiate", "'nodes':%d", ((struct graph *)graph)->count);
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
    struct graph *graph = (struct graph *)executable;
    int by_kind[4] = {0};
    bool now;
    lock();
    struct stream *stream = stream_of(handle);
    for (int i = 0; i < graph->count; i++) by_kind[graph->nodes[i]->kind]++;
    note("cudaGraphLaunch", "'stream':%d,'device':%d,'kernels':%d,'copies':%d,'fills':%d", stream->id, stream->device,
         by_kind[KERNEL], by_kind[COPY], by_kind[FILL]);
    if (stream->capture) refuse("cudaGraphLaunch (in a capture)");
    cudaError_t error = submit(stream, KERNEL, "graph", &now);
    lose_all_values("a graph");
    unlock();
    return error;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t handle, cudaGraphNode_t *nodes, size_t *count) {
    struct graph *graph = (struct graph *)handle;
    size_t given = nodes && *count < (size_t)graph->count ? *count : (size_t)graph->count;
    for (size_t i = 0; nodes && i < given; i++) nodes[i] = (cudaGraphNode_t)graph->nodes[i];
    *count = given;
    return cudaSuccess;
}
cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t handle, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                         size_t *count) {
    struct node *node = (struct node *)handle;
    size_t given = nodes && *count < (size_t)node->before_count ? *count : (size_t)node->before_count;
    for (size_t i = 0; nodes && i < given; i++) nodes[i] = (cudaGraphNode_t)node->before[i];
    if (edges) memset(edges, 0, given * sizeof *edges);
    *count = given;
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) { return cudaSuccess; }
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) { return cudaSuccess; }

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t handle, const char *path, unsigned flags) {
    struct graph *graph = (struct graph *)handle;
    FILE *file = fopen(path, "w");
    if (!file) return failed(cudaErrorOperatingSystem);
    fputs("digraph capture {\n", file);
    for (int i = 0; i < graph->count; i++) {
        struct node *node = graph->nodes[i];
        fprintf(file, "  \"%p\" [label=\"%d %s: %s\"];\n", (void *)node, i, KINDS[node->kind], node->name);
        for (int k = 0; k < node->before_count; k++)
            fprintf(file, "  \"%p\" -> \"%p\";\n", (void *)node->before[k], (void *)node);
    }
    fputs("}\n", file);
    return failed(fclose(file) ? cudaErrorOperatingSystem : cudaSuccess);
}
