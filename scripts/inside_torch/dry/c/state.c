/* Settings, the lock, the log, and errors. */
#include "dry.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

struct settings dry = {.devices = 1, .memory = (size_t)24 << 30};
__thread int current_device;

static pthread_mutex_t mutex;
static int log_file = -1;
static int where_signal, where_file, end_signal;
static pid_t where_process;
static __thread cudaError_t last_error;
static __thread char no_value_text[1200];
/* The code of a value that is refused: "operation not permitted" in CUDA, which PyTorch asks for nowhere. */
static const cudaError_t NO_VALUE = cudaErrorNotPermitted;

__attribute__((constructor)) static void read_settings(void) {
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &recursive);
    const char *devices = getenv("DRY_GPU_DEVICES"), *memory = getenv("DRY_GPU_MEMORY");
    const char *values = getenv("DRY_GPU_VALUES");
    if (devices) dry.devices = atoi(devices);
    if (dry.devices < 0 || dry.devices > MAX_DEVICES) dry.devices = MAX_DEVICES;
    if (memory) dry.memory = strtoull(memory, NULL, 10);
    dry.zeros = values && !strcmp(values, "zeros");
}

void lock(void) { pthread_mutex_lock(&mutex); }
void unlock(void) { pthread_mutex_unlock(&mutex); }

/* What a program asks to learn whether it runs on the dry GPU. */
int dry_is_here(void) { return 1; }

/* Signals at which Python's faulthandler writes the stack of the program: into a file, and to stderr. */
void dry_say_where(int into_file, int file, int to_stderr) {
    where_signal = into_file;
    where_file = file;
    end_signal = to_stderr;
    where_process = getpid();
}

/* Python gives its handlers up when it ends, and torch asks for more after that. */
static bool has_handler(int number) {
    struct sigaction now;
    return number && !sigaction(number, NULL, &now) && now.sa_handler != SIG_DFL && where_process == getpid();
}

int where(void) {
    int place = 0;
    lock();
    if (has_handler(where_signal)) {
        off_t before = lseek(where_file, 0, SEEK_END);
        raise(where_signal); /* a thread that Python does not know writes nothing */
        if (lseek(where_file, 0, SEEK_END) > before) place = (int)before + 1;
    }
    unlock();
    return place;
}

void note(const char *call, const char *fields, ...) {
    static bool asked;
    lock();
    if (!asked) {
        /* Opened by the first process that asks something of the device, and not by a compiler that it starts. */
        const char *path = getenv("DRY_GPU_LOG");
        if (path) log_file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
        asked = true;
    }
    if (log_file >= 0) {
        static char line[1 << 16]; /* some kernels have names of thousands of letters */
        char thread[17] = "", form[512];
        size_t i = 0;
        for (; fields[i] && i < sizeof form - 1; i++) form[i] = fields[i] == '\'' ? '"' : fields[i];
        form[i] = 0;
        prctl(PR_GET_NAME, thread);
        int n = snprintf(line, sizeof line, "{\"call\":\"%s\",\"pid\":%d,\"thread\":\"%s\"%s", call, (int)getpid(), thread,
                         *fields ? "," : "");
        va_list values;
        va_start(values, fields);
        n += vsnprintf(line + n, sizeof line - n - 3, form, values);
        va_end(values);
        if (n > (int)sizeof line - 3) n = sizeof line - 3; /* such a line is no JSON, and its reader refuses it */
        line[n++] = '}';
        line[n++] = '\n';
        if (write(log_file, line, n) != n) fputs("dry GPU: the log cannot be written\n", stderr);
    }
    unlock();
}

_Noreturn void refuse(const char *call) {
    note(call, "'refused':true");
    fprintf(stderr, "dry GPU: the program called %s, which the dry GPU does not answer. It ends here.\n", call);
    if (has_handler(end_signal)) raise(end_signal);
    fflush(NULL);
    _exit(86);
}

cudaError_t failed(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
}

cudaError_t no_value(const char *text, ...) {
    va_list values;
    va_start(values, text);
    vsnprintf(no_value_text, sizeof no_value_text, text, values);
    va_end(values);
    return failed(NO_VALUE);
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) { return last_error; }

/* The words are those of the real library, which needs no device to say them. */
const char *cudaGetErrorString(cudaError_t error) {
    static const char *(*real)(cudaError_t);
    if (error == NO_VALUE && *no_value_text) return no_value_text;
    if (!real) real = (const char *(*)(cudaError_t))dlsym(RTLD_NEXT, "cudaGetErrorString");
    return real ? real(error) : "an error, and no CUDA runtime to name it";
}
