/* The dry GPU: what its parts share. One lock holds all of the state; a function that does not take it says so. */
#ifndef DRY_H
#define DRY_H
#define _GNU_SOURCE
/* No type of half precision is used here, and their headers want others that no wheel has. */
#define __CUDA_FP16_H__
#define __CUDA_BF16_H__
#define __CUDA_FP8_H__
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_DEVICES = 16, MAX_FRONT = 64 };

struct settings {
    int devices;
    size_t memory; /* of each device, in bytes */
    bool zeros;    /* a value that a kernel would have computed is read as zero, and not refused; a time is 1 ms */
};
extern struct settings dry;
extern __thread int current_device;

/* state.c: the lock, the log, errors */
void lock(void);
void unlock(void);
/* One line of the log: {"call": …, "thread": …, <fields>}. In `fields`, ' stands for ". */
void note(const char *call, const char *fields, ...) __attribute__((format(printf, 2, 3)));
/* Keeps an error for cudaGetLastError, and gives it back. */
cudaError_t failed(cudaError_t error);
/* Refuses to hand out what is not known here; the text is that of the exception which PyTorch raises. */
cudaError_t no_value(const char *text, ...) __attribute__((format(printf, 1, 2)));
/* Has the program's stack written down; the place in that file and one, for the log, or 0 where there is none. */
int where(void);
/* Ends the program: it asked for what is not answered here. */
_Noreturn void refuse(const char *call);

/* graphs.c */
enum node_kind { KERNEL, COPY, FILL, HOST_FUNCTION };
struct node {
    enum node_kind kind;
    char *name;
    int mark; /* the search that has seen it last */
    int before_count;
    struct node *before[MAX_FRONT];
};
struct front { /* the nodes that the next one of a stream comes after */
    int count;
    struct node *nodes[MAX_FRONT];
};
struct graph {
    unsigned long long id;
    bool active, invalid;
    enum cudaStreamCaptureMode mode;
    unsigned long thread;
    struct stream *origin;
    int count, room;
    struct node **nodes;
};

/* streams.c: a stream counts what is submitted; what is `done` lags behind while it is held back. */
struct wait {
    long at; /* what the waiting stream had submitted */
    struct stream *on;
    long until;
    struct wait *next;
};
struct stream {
    int id, device, priority;
    long submitted, done;
    bool held, listed;
    struct wait *waits;
    struct graph *capture;
    struct front front;
    struct stream *next;
};
struct stream *stream_of(cudaStream_t handle);
extern struct stream *all_streams;
/* What every piece of work on a stream passes through. Where it is to be done now, `*now` is true; a stream that
   captures takes it as a node of its graph. */
cudaError_t submit(struct stream *stream, enum node_kind kind, const char *name, bool *now);
/* Whether a call that waits, or that changes the device, is forbidden by a capture; spoils the capture if so. */
cudaError_t unsafe_in_capture(void);
cudaError_t wait_in_capture(struct stream *stream, struct graph *graph, const struct front *front);

/* memory.c */
enum place { DEVICE, HOST };
struct block {
    char *base;
    size_t size, charged;
    char *values; /* the bytes themselves; those of a device lie at another address than the program sees */
    enum place place;
    int device;
};
extern size_t used[MAX_DEVICES];
struct block *block_at(const void *address);
struct block *new_device_block(size_t size, size_t charged, int device);
void drop_block(struct block *block);
void lose_values(const char *from, size_t size);
/* What a device did by itself: bytes of it went from one place to another; from nowhere, they are not known. */
void move_values(void *to, const void *from, size_t size);
/* A kernel ran: it may have written anywhere. */
void lose_all_values(const char *because);

/* launches.c: work that only a device could compute */
cudaError_t compute(struct stream *stream, const char *name);
struct kernel { /* what a host function, or a function of a module, stands for */
    const void *stub;
    const char *mangled;
    char *name;
    struct kernel *next;
};
cudaError_t launch(const char *call, struct kernel *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
#endif
