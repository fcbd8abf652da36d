/* Streams and events. Work is done when it is submitted, unless its stream is held back: then nothing that the host
   asks of the stream, or of an event on it, is done before dry_release, or before the host waits for it. */
#include "dry.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct event {
    int id;
    struct stream *stream; /* NULL before it is recorded */
    long time;
    struct graph *capture;
    struct front front;
};

struct stream *all_streams;
static struct stream default_streams[MAX_DEVICES];
static int next_id = 1, next_event = 1;

struct stream *stream_of(cudaStream_t handle) {
    uintptr_t number = (uintptr_t)handle;
    if (number > (uintptr_t)cudaStreamPerThread) return (struct stream *)handle;
    struct stream *stream = default_streams + current_device;
    if (!stream->listed) {
        stream->listed = true;
        stream->device = current_device;
        stream->next = all_streams;
        all_streams = stream;
    }
    return stream;
}

/* --- what is done --- */

static bool reached(struct stream *stream, long time) {
    if (time <= stream->done) return true;
    if (stream->held) return false;
    for (struct wait **place = &stream->waits; *place;) {
        struct wait *wait = *place;
        if (wait->at > time) place = &wait->next;
        else if (!reached(wait->on, wait->until)) return false;
        else {
            *place = wait->next;
            free(wait);
        }
    }
    stream->done = time;
    return true;
}

/* The host waits: the device gets as far as that, and so does what it waits for. */
static void complete(struct stream *stream, long time) {
    for (struct wait *wait = stream->waits; wait; wait = wait->next)
        if (wait->at <= time) complete(wait->on, wait->until);
    if (stream->done < time) stream->done = time;
}

void dry_hold(cudaStream_t handle) {
    lock();
    struct stream *stream = stream_of(handle);
    reached(stream, stream->submitted);
    stream->held = true;
    unlock();
}
void dry_release(cudaStream_t handle) {
    lock();
    stream_of(handle)->held = false;
    unlock();
}

/* --- streams --- */

static cudaError_t create(cudaStream_t *handle, int priority) {
    struct stream *stream = calloc(1, sizeof *stream);
    lock();
    stream->id = next_id++;
    stream->device = current_device;
    stream->priority = priority;
    stream->next = all_streams;
    all_streams = stream;
    unlock();
    note("cudaStreamCreate", "'stream':%d,'device':%d,'priority':%d", stream->id, stream->device, priority);
    *handle = (cudaStream_t)stream;
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t *stream) { return create(stream, 0); }
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags) { return create(stream, 0); }
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority) {
    return create(stream, priority);
}
/* What was said of it stays: events and waits still name it. */
cudaError_t cudaStreamDestroy(cudaStream_t stream) { return cudaSuccess; }

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
    *priority = stream_of(stream)->priority;
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
    lock();
    struct stream *stream = stream_of(handle);
    bool captures = stream->capture != NULL;
    if (captures) stream->capture->invalid = true;
    bool done = reached(stream, stream->submitted);
    unlock();
    return failed(captures ? cudaErrorStreamCaptureUnsupported : done ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
    lock();
    struct stream *stream = stream_of(handle);
    bool captures = stream->capture != NULL;
    if (captures) stream->capture->invalid = true;
    else complete(stream, stream->submitted);
    note("cudaStreamSynchronize", "'stream':%d,'device':%d,'where':%d", stream->id, stream->device, where());
    unlock();
    return captures ? failed(cudaErrorStreamCaptureUnsupported) : unsafe_in_capture();
}

cudaError_t cudaDeviceSynchronize(void) {
    cudaError_t error = unsafe_in_capture();
    if (error) return error;
    lock();
    for (struct stream *stream = all_streams; stream; stream = stream->next)
        if (stream->device == current_device) complete(stream, stream->submitted);
    note("cudaDeviceSynchronize", "'device':%d,'where':%d", current_device, where());
    unlock();
    return cudaSuccess;
}

/* A host function runs at once, in the thread that asks for it. */
cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void *data) {
    bool now;
    lock();
    struct stream *stream = stream_of(handle);
    if (!reached(stream, stream->submitted)) refuse("cudaLaunchHostFunc (on a stream that is held back)");
    note("cudaLaunchHostFunc", "'stream':%d,'device':%d", stream->id, stream->device);
    cudaError_t error = submit(stream, HOST_FUNCTION, "host function", &now);
    unlock();
    if (!error && now) function(data);
    return error;
}

/* --- events --- */

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags) {
    struct event *made = calloc(1, sizeof *made);
    lock();
    made->id = next_event++;
    unlock();
    *event = (cudaEvent_t)made;
    return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t handle, cudaStream_t on, unsigned flags) {
    struct event *event = (struct event *)handle;
    lock();
    struct stream *stream = stream_of(on);
    event->stream = stream;
    event->capture = stream->capture;
    if (event->capture) event->front = stream->front;
    else event->time = ++stream->submitted;
    note("cudaEventRecord", "'event':%d,'stream':%d,'device':%d", event->id, stream->id, stream->device);
    unlock();
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    return cudaEventRecordWithFlags(event, stream, 0);
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
    struct event *event = (struct event *)handle;
    cudaError_t error = unsafe_in_capture();
    if (error) return error;
    lock();
    bool captured = event->capture != NULL;
    bool done = !event->stream || reached(event->stream, event->time);
    note("cudaEventQuery", "'event':%d,'done':%s", event->id, done ? "true" : "false");
    unlock();
    return failed(captured ? cudaErrorCapturedEvent : done ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
    struct event *event = (struct event *)handle;
    cudaError_t error = unsafe_in_capture();
    if (error) return error;
    lock();
    bool captured = event->capture != NULL;
    if (event->stream && !captured) complete(event->stream, event->time);
    note("cudaEventSynchronize", "'event':%d,'where':%d", event->id, where());
    unlock();
    return failed(captured ? cudaErrorCapturedEvent : cudaSuccess);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to) {
    *milliseconds = 1; /* not 0, by which programs divide */
    /* torch itself times what DistributedDataParallel does, for its own log. The program asks by libtorch_python. */
    Dl_info caller;
    bool by_program = !dladdr(__builtin_return_address(0), &caller) || strstr(caller.dli_fname, "libtorch_python");
    return dry.zeros || !by_program ? cudaSuccess : no_value("the dry GPU has no time: nothing that it is asked takes any");
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t on, unsigned flags) {
    struct event *event = (struct event *)on;
    cudaError_t error = cudaSuccess;
    lock();
    struct stream *stream = stream_of(handle);
    note("cudaStreamWaitEvent", "'stream':%d,'device':%d,'event':%d", stream->id, stream->device, event->id);
    if (event->stream && (event->capture || stream->capture))
        error = wait_in_capture(stream, event->capture, &event->front);
    else if (event->stream && event->stream != stream) {
        struct wait *wait = malloc(sizeof *wait);
        *wait = (struct wait){++stream->submitted, event->stream, event->time, stream->waits};
        stream->waits = wait;
    }
    unlock();
    return failed(error);
}
