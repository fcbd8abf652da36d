/* Threads that outlive the interpreter. */
#include "dry.h"
#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

/* Before 3.14, CPython ends a thread that asks for the interpreter once that is at its end. The C++ functions under it
   that may not throw then end the whole process: "terminate called without an active exception". Autograd's threads of
   the devices ask for it when the last thing that they put down is a Python object. Here such a thread waits for the
   end of the process, as 3.14 has it. https://github.com/python/cpython/issues/87135 */
void pthread_exit(void *value) {
    int (*at_its_end)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "_Py_IsFinalizing");
    if (at_its_end && at_its_end())
        for (;;) pause();
    ((void (*)(void *))dlsym(RTLD_NEXT, "pthread_exit"))(value);
    __builtin_unreachable();
}
