/*
 * Calls of compiled functional programs from CPython.
 *
 * An Entry converts the arguments of one function, calls it and converts its result. It takes only what is plainly right; of
 * everything else (a wrong argument, a structure made in Python, too large a number) it makes nothing and hands the call on to a
 * function in Python, which knows how to convert or what to say. So each test here may refuse too much, and none may accept too
 * much.
 *
 * A Worker is the thread in which calls run that may take long, or need a deep stack. Whoever waits for it, and the worker itself
 * between two calls, looks for a few microseconds before it sleeps: waking a thread takes longer than most calls.
 */

#define PY_SSIZE_T_CLEAN
#define _POSIX_C_SOURCE 200809L
#include <Python.h>
#include <pythread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <structmember.h>
#include <time.h>

enum { MAX_WORDS = 64, MAX_LENT = 16, LOOKS_PER_CLOCK = 32 };

/* As in usl_rt.h. */
typedef struct usl_block usl_block;
typedef struct usl_context usl_context;
struct head {
    uint8_t scan, path;
    uint16_t info;
    int32_t count;
};
struct string {
    struct head head;
    int64_t length;
    char bytes[];
};
struct raw_array {
    struct head head;
    int64_t length;
    void *elements, *own;
};

union word {
    int64_t i;
    uint64_t u;
    double d;
    void *p;
};

typedef void function(const union word *arguments, union word *result, usl_context *ctx);

struct runtime {
    void (*release)(void *value, usl_context *ctx);
    void (*retain)(void *value);
    bool (*has_thrown)(const usl_context *ctx);
    void *(*take_exception)(usl_context *ctx);
    bool (*was_out_of_memory)(usl_context *ctx);
    void *(*string_new)(const char *bytes, size_t length, const char *site, usl_context *ctx);
    void *(*array_new)(int64_t length, size_t element, const char *site, usl_context *ctx);
    void *(*array_lent)(int64_t length, void *elements, const char *site, usl_context *ctx);
    void (*array_return)(void *array, size_t element, usl_context *ctx);
    usl_context *context;
    const char *site;
};

/* What a value is, and how Python sees it. Each but TUPLE and NOTHING is one word. */
enum What {
    INTEGER = 'i',   /* least, greatest */
    UNSIGNED = 'u',  /* up to greatest, as bits */
    NUMBER = 'f',
    TRUTH = 'b',
    STRING = 's',
    DATA = 'h',      /* a block or a constant: words of its classes; Python's constants by tag; type */
    REFERENCE = 'r', /* a cell, a thread, a function: type */
    ENUMERATION = 'e',
    ARRAY = 'a',     /* format of its elements, and their size */
    ELEMENTS = 'y',  /* only a result, an array: least bytes that are not copied, shown: its dtype, size of an element */
    NOTHING = 'n',
    TUPLE = 't',     /* of parts; cls: NULL for Python's own */
    OTHER = 'x',     /* only a result, which Python converts */
};

struct kind {
    enum What what;
    int64_t least, greatest;
    PyObject *type, *words, *shown;
    PyObject *converter_taken, *type_taken; /* of another program's values that were found to fit */
    PyObject *cls;
    char format;
    Py_ssize_t size;
    Py_ssize_t count;
    struct kind *parts;
};

/* An array whose elements stay Python's during the call. */
struct lent {
    void *array;
    size_t element;
    Py_buffer buffer;
};

/* One call. */
struct task {
    function *call;
    union word arguments[MAX_WORDS], result[MAX_WORDS];
    bool counted[MAX_WORDS];
    int count;
    struct lent lent[MAX_LENT];
    int lent_count;
};

/* Two threads, each of which waits for the other in turn. */
struct signal {
    atomic_bool sent, asleep;
    PyThread_type_lock lock; /* is released once for each time that `asleep` was found set */
};

typedef struct {
    PyObject_HEAD
    struct runtime runtime;
    PyObject *start;                    /* starts the thread, which calls work() */
    PyObject *lock, *acquire, *release; /* the heap's, and of the lock within it */
    PyObject *prints;                   /* whether any thread writes what a program prints */
    PyObject *dropped, *collect;        /* references to give up */
    long nanoseconds; /* to look before going to sleep; 0 where there is one processor */
    bool has_thread;
    struct signal begin, end;
    struct task task;
    PyObject *entry; /* whose call nobody waits for any more */
    char failed;     /* what a call printed could not be written */
} Worker;

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    function *call;
    Worker *worker;
    bool is_long, lends;
    PyObject *slowly; /* does the call otherwise */
    PyObject *converter, *handle_type, *accepts, *raised, *unwritten, *from_heap, *waiting;
    Py_ssize_t count;
    struct kind parameters; /* a TUPLE */
    struct kind result;
    bool result_counted[MAX_WORDS];
    int result_words;
} Entry;

/* The elements of a block that nothing else refers to, as the memory of a NumPy array. */
typedef struct {
    PyObject_HEAD
    Worker *worker;
    struct raw_array *block;
    Py_ssize_t bytes;
} Elements;

static PyTypeObject *elements_type;
static PyObject *name_abandoned, *name_abandon, *name_append, *name_converter, *name_type, *name_address, *name_fields;

/* ---- arguments */

static bool push(struct task *task, union word word, bool counted)
{
    if (task->count == MAX_WORDS)
        return false;
    task->counted[task->count] = counted;
    task->arguments[task->count++] = word;
    return true;
}

static bool push_reference(const Entry *self, struct task *task, void *value)
{
    if (push(task, (union word){.p = value}, true))
        return true;
    self->worker->runtime.release(value, self->worker->runtime.context);
    return false;
}

static bool take_integer(const struct kind *kind, PyObject *value, struct task *task)
{
    int overflow = 0;
    int64_t number;
    if (PyLong_CheckExact(value)) {
        number = PyLong_AsLongLongAndOverflow(value, &overflow);
    } else {
        if (PyBool_Check(value) || !PyIndex_Check(value))
            return false;
        PyObject *index = PyNumber_Index(value);
        if (index == NULL)
            return false;
        number = PyLong_AsLongLongAndOverflow(index, &overflow);
        Py_DECREF(index);
    }
    return !overflow && kind->least <= number && number <= kind->greatest && push(task, (union word){.i = number}, false);
}

static bool take_unsigned(const struct kind *kind, PyObject *value, struct task *task)
{
    if (!PyLong_CheckExact(value))
        return false;
    const unsigned long long number = PyLong_AsUnsignedLongLong(value);
    if (number == (unsigned long long)-1 && PyErr_Occurred())
        return false;
    return number <= (uint64_t)kind->greatest && push(task, (union word){.u = number}, false);
}

static bool take_number(PyObject *value, struct task *task)
{
    double number;
    if (PyFloat_CheckExact(value)) {
        number = PyFloat_AS_DOUBLE(value);
    } else {
        const PyNumberMethods *const methods = Py_TYPE(value)->tp_as_number;
        if (PyBool_Check(value) || methods == NULL || methods->nb_float == NULL)
            return false;
        PyObject *made = PyNumber_Float(value);
        if (made == NULL)
            return false;
        number = PyFloat_AsDouble(made);
        Py_DECREF(made);
    }
    return push(task, (union word){.d = number}, false);
}

static bool take_string(const Entry *self, PyObject *value, struct task *task)
{
    const struct runtime *const runtime = &self->worker->runtime;
    Py_ssize_t length;
    const char *const bytes = PyUnicode_CheckExact(value) ? PyUnicode_AsUTF8AndSize(value, &length) : NULL;
    return bytes != NULL &&
           push_reference(self, task, runtime->string_new(bytes, (size_t)length, runtime->site, runtime->context));
}

/* Whether a handle's value is of the type, in this program or in another one. */
static bool fits(const Entry *self, struct kind *kind, PyObject *handle)
{
    PyObject *const converter = PyObject_GenericGetAttr(handle, name_converter);
    PyObject *const type = converter == NULL ? NULL : PyObject_GenericGetAttr(handle, name_type);
    bool found = false;
    if (type != NULL) {
        found = (converter == self->converter && type == kind->type) ||
                (converter == kind->converter_taken && type == kind->type_taken);
        if (!found) {
            PyObject *const answer = PyObject_CallFunctionObjArgs(self->accepts, handle, kind->type, NULL);
            found = answer == Py_True;
            Py_XDECREF(answer);
            if (found) {
                Py_XSETREF(kind->converter_taken, Py_NewRef(converter));
                Py_XSETREF(kind->type_taken, Py_NewRef(type));
            }
        }
    }
    Py_XDECREF(converter);
    Py_XDECREF(type);
    return found;
}

static bool take_handle(const Entry *self, struct kind *kind, PyObject *value, struct task *task)
{
    if (!fits(self, kind, value))
        return false;
    PyObject *const address = PyObject_GenericGetAttr(value, name_address);
    if (address == NULL)
        return false;
    void *const block = PyLong_AsVoidPtr(address);
    Py_DECREF(address);
    if (block == NULL)
        return false;
    self->worker->runtime.retain(block);
    return push_reference(self, task, block);
}

/* A constructor without fields, by its class. */
static bool take_constant(const struct kind *kind, PyObject *value, struct task *task)
{
    PyObject *const word = PyDict_GetItemWithError(kind->words, (PyObject *)Py_TYPE(value));
    return word != NULL && push(task, (union word){.u = PyLong_AsUnsignedLongLong(word)}, false);
}

static PyObject *array_type(void)
{
    static PyObject *found = NULL;
    if (found == NULL) {
        PyObject *const name = PyUnicode_FromString("numpy");
        PyObject *const numpy = name == NULL ? NULL : PyImport_GetModule(name);
        found = numpy == NULL ? NULL : PyObject_GetAttrString(numpy, "ndarray");
        Py_XDECREF(name);
        Py_XDECREF(numpy);
    }
    return found;
}

/* Arrays of the elements' own type in one piece: small ones are copied, others are lent. */
static bool take_array(const Entry *self, const struct kind *kind, PyObject *value, struct task *task)
{
    const struct runtime *const runtime = &self->worker->runtime;
    if ((PyObject *)Py_TYPE(value) != array_type() || task->lent_count == MAX_LENT)
        return false;
    struct lent *const lent = &task->lent[task->lent_count];
    if (PyObject_GetBuffer(value, &lent->buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) < 0)
        return false;
    Py_buffer *const buffer = &lent->buffer;
    const char format = buffer->format == NULL || buffer->format[1] != 0 ? 0 : buffer->format[0];
    const bool is_same = buffer->itemsize == kind->size && buffer->ndim > 0 && format != 0 &&
                         strchr(kind->format == 'i'   ? "bhilq"
                                : kind->format == 'u' ? "BHILQ"
                                : kind->format == 'f' ? "fd"
                                                      : "?",
                                format) != NULL;
    const Py_ssize_t length = buffer->len / (kind->size == 0 ? 1 : kind->size);
    if (!is_same || (uintptr_t)buffer->buf % (uintptr_t)kind->size != 0) {
        PyBuffer_Release(buffer);
        return false;
    }
    if (!self->lends || buffer->len < kind->least) {
        struct raw_array *const made = runtime->array_new(length, (size_t)kind->size, runtime->site, runtime->context);
        if (length != 0)
            memcpy(made->elements, buffer->buf, (size_t)buffer->len);
        PyBuffer_Release(buffer);
        return push_reference(self, task, made);
    }
    lent->array = runtime->array_lent(length, buffer->buf, runtime->site, runtime->context);
    lent->element = (size_t)kind->size;
    task->lent_count++;
    return push_reference(self, task, lent->array);
}

static bool take(const Entry *self, struct kind *kind, PyObject *value, struct task *task);

static bool take_parts(const Entry *self, struct kind *kind, PyObject *const *items, struct task *task)
{
    for (Py_ssize_t i = 0; i < kind->count; i++)
        if (!take(self, &kind->parts[i], items[i], task))
            return false;
    return true;
}

static bool take_tuple(const Entry *self, struct kind *kind, PyObject *value, struct task *task)
{
    if ((PyObject *)Py_TYPE(value) != (kind->cls == NULL ? (PyObject *)&PyTuple_Type : kind->cls))
        return false;
    PyObject *const items = kind->cls == NULL ? Py_NewRef(value) : PyObject_GetAttr(value, name_fields);
    if (items == NULL)
        return false;
    const bool taken = PyTuple_CheckExact(items) && PyTuple_GET_SIZE(items) == kind->count &&
                       take_parts(self, kind, &PyTuple_GET_ITEM(items, 0), task);
    Py_DECREF(items);
    return taken;
}

static bool take(const Entry *self, struct kind *kind, PyObject *value, struct task *task)
{
    switch (kind->what) {
    case INTEGER:
        return take_integer(kind, value, task);
    case UNSIGNED:
        return take_unsigned(kind, value, task);
    case NUMBER:
        return take_number(value, task);
    case TRUTH:
        return PyBool_Check(value) && push(task, (union word){.i = value == Py_True}, false);
    case STRING:
        return take_string(self, value, task);
    case DATA:
        return (PyObject *)Py_TYPE(value) == self->handle_type ? take_handle(self, kind, value, task)
                                                                : take_constant(kind, value, task);
    case REFERENCE:
        return (PyObject *)Py_TYPE(value) == self->handle_type && take_handle(self, kind, value, task);
    case ENUMERATION:
        return take_constant(kind, value, task);
    case ARRAY:
        return take_array(self, kind, value, task);
    case NOTHING:
        return value == Py_None;
    case TUPLE:
        return take_tuple(self, kind, value, task);
    case ELEMENTS:
    case OTHER:
        return false;
    }
    return false;
}

/* Ends the loans of a call: without Python, so that the worker can. */
static void return_arrays(const struct runtime *runtime, const struct task *task)
{
    for (int i = 0; i < task->lent_count; i++)
        runtime->array_return(task->lent[i].array, task->lent[i].element, runtime->context);
}

static void release_buffers(struct task *task)
{
    for (int i = 0; i < task->lent_count; i++)
        PyBuffer_Release(&task->lent[i].buffer);
    task->lent_count = 0;
}

/* Gives up what was converted for a call that is not made. */
static void undo(const Entry *self, struct task *task)
{
    const struct runtime *const runtime = &self->worker->runtime;
    for (int i = 0; i < task->count; i++)
        if (task->counted[i])
            runtime->release(task->arguments[i].p, runtime->context);
    return_arrays(runtime, task);
    release_buffers(task);
}

/* ---- results */

static PyObject *shown_constant(const struct kind *kind, uint64_t tag)
{
    return Py_NewRef(PyTuple_GET_ITEM(kind->shown, (Py_ssize_t)tag));
}

static PyObject *handle_of(const Entry *self, const struct kind *kind, void *value)
{
    PyObject *const address = PyLong_FromVoidPtr(value);
    if (address == NULL)
        return NULL;
    PyObject *const arguments[] = {self->converter, kind->type, address};
    PyObject *const made = PyObject_Vectorcall(self->handle_type, arguments, 3, NULL);
    Py_DECREF(address);
    return made;
}

static PyObject *give(const Entry *self, const struct kind *kind, const union word *words, int *at);

static PyObject *give_tuple(const Entry *self, const struct kind *kind, const union word *words, int *at)
{
    PyObject *items = PyTuple_New(kind->count);
    for (Py_ssize_t i = 0; items != NULL && i < kind->count; i++) {
        PyObject *const item = give(self, &kind->parts[i], words, at);
        if (item == NULL)
            Py_CLEAR(items);
        else
            PyTuple_SET_ITEM(items, i, item);
    }
    if (items == NULL || kind->cls == NULL)
        return items;
    PyObject *const made = PyObject_CallObject(kind->cls, items);
    Py_DECREF(items);
    return made;
}

static PyObject *elements_of(const Entry *self, struct raw_array *array, Py_ssize_t bytes)
{
    Elements *const made = PyObject_New(Elements, elements_type);
    if (made != NULL) {
        made->worker = (Worker *)Py_NewRef(self->worker);
        made->block = array;
        made->bytes = bytes;
    }
    return (PyObject *)made;
}

static bool copy_into(PyObject *made, const void *elements, Py_ssize_t bytes)
{
    Py_buffer buffer;
    if (bytes == 0)
        return true;
    if (PyObject_GetBuffer(made, &buffer, PyBUF_WRITABLE) < 0)
        return false;
    memcpy(buffer.buf, elements, (size_t)bytes);
    PyBuffer_Release(&buffer);
    return true;
}

/* The NumPy array of an owned block: it owns the block from then on, or small ones are copied. NULL without an exception: NumPy is
 * not there yet. The reference is used up otherwise. */
static PyObject *give_array(const Entry *self, const struct kind *kind, struct raw_array *array)
{
    const struct runtime *const runtime = &self->worker->runtime;
    PyObject *const ndarray = array_type();
    if (ndarray == NULL)
        return NULL;
    const Py_ssize_t bytes = (Py_ssize_t)array->length * kind->size;
    const bool copies = array->head.count != 0 || bytes < kind->least;
    PyObject *const length = PyLong_FromLongLong(array->length);
    PyObject *const memory = copies || length == NULL ? NULL : elements_of(self, array, bytes);
    PyObject *made = length == NULL || (!copies && memory == NULL)
                         ? NULL
                         : PyObject_CallFunctionObjArgs(ndarray, length, kind->shown, memory, NULL);
    if (made != NULL && copies && !copy_into(made, array->elements, bytes))
        Py_CLEAR(made);
    if (memory == NULL)
        runtime->release(array, runtime->context);
    Py_XDECREF(memory);
    Py_XDECREF(length);
    return made;
}

/* A word that is a block, of which the caller's reference is used up, whatever comes of it. */
static PyObject *give_block(const Entry *self, const struct kind *kind, void *value)
{
    const struct runtime *const runtime = &self->worker->runtime;
    PyObject *made;
    switch (kind->what) {
    case STRING:
        made = PyUnicode_DecodeUTF8(((struct string *)value)->bytes, (Py_ssize_t)((struct string *)value)->length,
                                    "surrogateescape");
        runtime->release(value, runtime->context);
        return made;
    case DATA:
    case REFERENCE:
        made = handle_of(self, kind, value);
        if (made == NULL)
            runtime->release(value, runtime->context);
        return made;
    case ELEMENTS:
        made = give_array(self, kind, value);
        if (made != NULL || PyErr_Occurred())
            return made;
        /* fall through */
    default: {
        PyObject *const address = PyLong_FromVoidPtr(value);
        made = address == NULL ? NULL : PyObject_CallFunctionObjArgs(self->from_heap, address, kind->type, NULL);
        Py_XDECREF(address);
        return made;
    }
    }
}

static PyObject *give(const Entry *self, const struct kind *kind, const union word *words, int *at)
{
    if (kind->what == NOTHING)
        return Py_NewRef(Py_None);
    if (kind->what == TUPLE)
        return give_tuple(self, kind, words, at);
    const union word word = words[(*at)++];
    switch (kind->what) {
    case INTEGER:
        return PyLong_FromLongLong(word.i);
    case UNSIGNED:
        return PyLong_FromUnsignedLongLong(word.u);
    case NUMBER:
        return PyFloat_FromDouble(word.d);
    case TRUTH:
        return PyBool_FromLong(word.i != 0);
    case ENUMERATION:
        return shown_constant(kind, word.u);
    case DATA:
        if ((word.u & 1) != 0)
            return shown_constant(kind, word.u >> 1);
        return give_block(self, kind, word.p);
    default:
        return give_block(self, kind, word.p);
    }
}

static void release_words(const Entry *self, const union word *words, int from)
{
    const struct runtime *const runtime = &self->worker->runtime;
    for (int i = from; i < self->result_words; i++)
        if (self->result_counted[i])
            runtime->release(words[i].p, runtime->context);
}

/* ---- the thread of long calls */

static long now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (long)time.tv_sec * 1000000000 + time.tv_nsec;
}

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Whether the signal came while this thread looked for it. */
static bool comes_soon(const struct signal *signal, long nanoseconds)
{
    const long start = nanoseconds == 0 ? 0 : now();
    do {
        for (int i = 0; i < LOOKS_PER_CLOCK; i++) {
            if (atomic_load_explicit(&signal->sent, memory_order_acquire))
                return true;
            relax();
        }
    } while (nanoseconds != 0 && now() - start < nanoseconds);
    return false;
}

/* Whether the other thread will release the lock, or has; if not, the signal is there already. Only before sleeping. */
static bool must_sleep(struct signal *signal)
{
    atomic_store(&signal->asleep, true);
    return !atomic_load(&signal->sent) || !atomic_exchange(&signal->asleep, false);
}

static void send(struct signal *signal)
{
    atomic_store(&signal->sent, true);
    if (atomic_exchange(&signal->asleep, false))
        PyThread_release_lock(signal->lock);
}

/* The worker's part of a call. */
static void wait_for_begin(Worker *self)
{
    if (!comes_soon(&self->begin, self->nanoseconds) && must_sleep(&self->begin))
        (void)PyThread_acquire_lock(self->begin.lock, WAIT_LOCK);
    atomic_store(&self->begin.sent, false);
}

static PyObject *worker_work(PyObject *object, PyObject *none)
{
    Worker *const self = (Worker *)object;
    (void)none;
    Py_BEGIN_ALLOW_THREADS
    for (;;) {
        wait_for_begin(self);
        self->task.call(self->task.arguments, self->task.result, self->runtime.context);
        return_arrays(&self->runtime, &self->task);
        send(&self->end);
    }
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

/* Lets handlers of signals run, which cannot use the heap meanwhile; 0 if the wait goes on. */
static int handle_signals(const Worker *self, const Entry *entry)
{
    if (PyObject_SetAttr(self->lock, name_abandoned, entry->waiting) < 0)
        return -1;
    const int failed = PyErr_CheckSignals();
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    if (PyObject_SetAttr(self->lock, name_abandoned, Py_None) < 0)
        PyErr_Clear();
    PyErr_Restore(type, value, trace);
    return failed;
}

/* The call goes on in the background. Its entry is kept for what it gives. */
static void abandon(Worker *self, const Entry *entry)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    self->entry = Py_NewRef((PyObject *)entry);
    PyObject *const done = PyObject_CallMethodOneArg(self->lock, name_abandon, (PyObject *)self);
    if (done == NULL)
        PyErr_Clear();
    Py_XDECREF(done);
    PyErr_Restore(type, value, trace);
}

/* Gives up what a call gave that nobody waits for: its result, or its exception. */
static void discard(const Entry *entry, struct task *task)
{
    const struct runtime *const runtime = &entry->worker->runtime;
    if (!runtime->has_thrown(runtime->context))
        release_words(entry, task->result, 0);
    else if (!runtime->was_out_of_memory(runtime->context))
        runtime->release(runtime->take_exception(runtime->context), runtime->context);
    entry->worker->failed = 0;
    release_buffers(task);
}

/* Waits for the worker, which has begun. 0: the call is over. -1: an exception; the call goes on, or its result is given up. */
static int wait_for_end(Worker *self, const Entry *entry)
{
    bool sleeps = true;
    Py_BEGIN_ALLOW_THREADS
    if (comes_soon(&self->end, self->nanoseconds))
        sleeps = false;
    Py_END_ALLOW_THREADS
    if (sleeps && must_sleep(&self->end)) {
        for (;;) {
            PyLockStatus status;
            Py_BEGIN_ALLOW_THREADS
            status = PyThread_acquire_lock_timed(self->end.lock, -1, 1);
            Py_END_ALLOW_THREADS
            if (status == PY_LOCK_ACQUIRED)
                break;
            if (handle_signals(self, entry) < 0) {
                if (atomic_exchange(&self->end.asleep, false)) {
                    abandon(self, entry);
                    return -1;
                }
                (void)PyThread_acquire_lock(self->end.lock, WAIT_LOCK); /* it has just ended */
                atomic_store(&self->end.sent, false);
                discard(entry, &self->task);
                return -1;
            }
        }
    }
    atomic_store(&self->end.sent, false);
    return 0;
}

/* ---- the heap's lock */

/* 1: the heap is ours. 0: another thread has it and we do not wait, or must not, or a call that was given up uses it. -1: an
 * exception. */
static int acquire(const Worker *self, bool waits)
{
    PyObject *acquired = PyObject_CallOneArg(self->acquire, Py_False);
    if (acquired == Py_False && waits) {
        PyObject *const prints = PyObject_CallNoArgs(self->prints); /* perhaps this is what the other thread prints by */
        Py_XDECREF(prints);
        if (prints != Py_False)
            return prints == NULL ? -1 : 0;
        Py_DECREF(acquired);
        acquired = PyObject_CallNoArgs(self->acquire);
    }
    if (acquired == NULL)
        return -1;
    Py_DECREF(acquired);
    if (acquired == Py_False)
        return 0;
    PyObject *const abandoned = PyObject_GetAttr(self->lock, name_abandoned);
    if (abandoned == NULL)
        PyErr_Clear();
    else
        Py_DECREF(abandoned);
    if (abandoned == Py_None)
        return 1;
    PyObject *const released = PyObject_CallNoArgs(self->release);
    Py_XDECREF(released);
    return released == NULL ? -1 : 0;
}

static void release(const Worker *self)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *const released = PyObject_CallNoArgs(self->release);
    if (released == NULL)
        PyErr_WriteUnraisable(self->lock);
    Py_XDECREF(released);
    PyErr_Restore(type, value, trace);
}

static int collect(const Worker *self)
{
    if (PyObject_Size(self->dropped) == 0)
        return 0;
    PyObject *const done = PyObject_CallNoArgs(self->collect);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* Gives up a reference, from a finalizer: at once if nobody uses the heap, else when it is used next. */
static PyObject *worker_drop(PyObject *object, PyObject *address)
{
    const Worker *const self = (const Worker *)object;
    const int acquired = acquire(self, false);
    if (acquired < 0)
        return NULL;
    if (!acquired)
        return PyObject_CallMethodOneArg(self->dropped, name_append, address);
    self->runtime.release(PyLong_AsVoidPtr(address), self->runtime.context);
    release(self);
    Py_RETURN_NONE;
}

/* ---- the memory of NumPy arrays */

static int elements_buffer(PyObject *object, Py_buffer *view, int flags)
{
    const Elements *const self = (const Elements *)object;
    return PyBuffer_FillInfo(view, object, self->block->elements, self->bytes, 0, flags);
}

static void elements_dealloc(PyObject *object)
{
    const Elements *const self = (const Elements *)object;
    PyTypeObject *const type_of_it = Py_TYPE(object);
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyObject *const address = PyLong_FromVoidPtr(self->block);
    PyObject *const done = address == NULL ? NULL : worker_drop((PyObject *)self->worker, address);
    if (done == NULL)
        PyErr_WriteUnraisable(NULL);
    Py_XDECREF(done);
    Py_XDECREF(address);
    PyErr_Restore(type, value, trace);
    Py_DECREF(self->worker);
    PyObject_Free(object);
    Py_DECREF(type_of_it);
}

static PyType_Slot elements_slots[] = {
    {Py_tp_dealloc, elements_dealloc},
    {Py_bf_getbuffer, elements_buffer},
    {0, NULL},
};

static PyType_Spec elements_spec = {
    .name = "usl_perceus_entry.Elements",
    .basicsize = sizeof(Elements),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = elements_slots,
};

/* ---- the call */

static PyObject *result_of(const Entry *self, struct task *task)
{
    const struct runtime *const runtime = &self->worker->runtime;
    if (self->worker->failed) {
        discard(self, task);
        PyObject *const none = PyObject_CallNoArgs(self->unwritten); /* always raises */
        Py_XDECREF(none);
        return NULL;
    }
    release_buffers(task);
    if (runtime->has_thrown(runtime->context)) {
        PyObject *const none = PyObject_CallNoArgs(self->raised); /* always raises */
        Py_XDECREF(none);
        return NULL;
    }
    int at = 0;
    PyObject *const result = give(self, &self->result, task->result, &at);
    if (result == NULL)
        release_words(self, task->result, at);
    return result;
}

/* Makes the call in the worker's thread, with a task of the worker's own: the call may outlive its caller, and what Python runs
 * for arguments and results, finalizers say, may call something else. As wait_for_end; -2: nothing was done. */
static int call_in_worker(Worker *self, const Entry *entry, struct task *task)
{
    if (!self->has_thread) {
        PyObject *const started = PyObject_CallNoArgs(self->start);
        if (started == NULL)
            return -2;
        Py_DECREF(started);
        self->has_thread = true;
    }
    struct task *const kept = &self->task;
    kept->call = task->call;
    memcpy(kept->arguments, task->arguments, (size_t)task->count * sizeof *task->arguments);
    memcpy(kept->lent, task->lent, (size_t)task->lent_count * sizeof *task->lent);
    kept->lent_count = task->lent_count;
    send(&self->begin);
    const int status = wait_for_end(self, entry);
    if (status == 0)
        memcpy(task->result, kept->result, (size_t)entry->result_words * sizeof *kept->result);
    return status;
}

/* With the heap held. NULL without an exception: nothing was done. */
static PyObject *call(Entry *self, PyObject *const *arguments)
{
    struct task task;
    if (collect(self->worker) < 0)
        return NULL;
    task.call = self->call;
    task.count = task.lent_count = 0;
    if (!take_parts(self, &self->parameters, arguments, &task)) {
        PyErr_Clear();
        undo(self, &task);
        return NULL;
    }
    if (self->is_long) {
        const int status = call_in_worker(self->worker, self, &task);
        if (status == -2)
            undo(self, &task);
        if (status < 0)
            return NULL;
    } else {
        Py_BEGIN_ALLOW_THREADS
        task.call(task.arguments, task.result, self->worker->runtime.context);
        return_arrays(&self->worker->runtime, &task);
        Py_END_ALLOW_THREADS
    }
    return result_of(self, &task);
}

static PyObject *entry_vectorcall(PyObject *object, PyObject *const *arguments, size_t nargsf, PyObject *names)
{
    Entry *const self = (Entry *)object;
    if (PyVectorcall_NARGS(nargsf) == self->count && (names == NULL || PyTuple_GET_SIZE(names) == 0)) {
        const int acquired = acquire(self->worker, true);
        if (acquired < 0)
            return NULL;
        if (acquired) {
            PyObject *const result = call(self, arguments);
            release(self->worker);
            if (result != NULL || PyErr_Occurred())
                return result;
        }
    }
    return PyObject_Vectorcall(self->slowly, arguments, nargsf, names);
}

/* ---- kinds */

static void clear_kind(struct kind *kind)
{
    Py_CLEAR(kind->type);
    Py_CLEAR(kind->words);
    Py_CLEAR(kind->shown);
    Py_CLEAR(kind->converter_taken);
    Py_CLEAR(kind->type_taken);
    Py_CLEAR(kind->cls);
    for (Py_ssize_t i = 0; i < kind->count; i++)
        clear_kind(&kind->parts[i]);
    PyMem_Free(kind->parts);
    kind->parts = NULL;
    kind->count = 0;
}

static int visit_kind(const struct kind *kind, visitproc visit, void *arg)
{
    Py_VISIT(kind->type);
    Py_VISIT(kind->words);
    Py_VISIT(kind->shown);
    Py_VISIT(kind->converter_taken);
    Py_VISIT(kind->type_taken);
    Py_VISIT(kind->cls);
    for (Py_ssize_t i = 0; i < kind->count; i++) {
        const int failed = visit_kind(&kind->parts[i], visit, arg);
        if (failed)
            return failed;
    }
    return 0;
}

static PyObject *or_null(PyObject *object)
{
    return object == Py_None ? NULL : Py_NewRef(object);
}

/* (what, least, greatest, type, words, shown, cls, format, size, parts) */
static int set_kind(struct kind *kind, PyObject *given)
{
    int what, format;
    long long least, greatest;
    PyObject *type, *words, *shown, *cls, *parts;
    if (!PyArg_ParseTuple(given, "CLLOOOOCnO!", &what, &least, &greatest, &type, &words, &shown, &cls, &format, &kind->size,
                          &PyTuple_Type, &parts))
        return -1;
    kind->what = (enum What)what;
    kind->least = least;
    kind->greatest = greatest;
    kind->type = or_null(type);
    kind->words = or_null(words);
    kind->shown = or_null(shown);
    kind->cls = or_null(cls);
    kind->format = (char)format;
    const Py_ssize_t count = PyTuple_GET_SIZE(parts);
    kind->parts = PyMem_Calloc((size_t)count + 1, sizeof *kind->parts);
    if (kind->parts == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    kind->count = count;
    for (Py_ssize_t i = 0; i < count; i++)
        if (set_kind(&kind->parts[i], PyTuple_GET_ITEM(parts, i)) < 0)
            return -1;
    return 0;
}

/* Which words of a result hold references. */
static int count_words(Entry *self, const struct kind *kind)
{
    if (kind->what == NOTHING)
        return 0;
    if (kind->what != TUPLE) {
        if (self->result_words == MAX_WORDS) {
            PyErr_SetString(PyExc_ValueError, "the result has too many parts");
            return -1;
        }
        self->result_counted[self->result_words++] = strchr("shraxy", kind->what) != NULL;
        return 0;
    }
    for (Py_ssize_t i = 0; i < kind->count; i++)
        if (count_words(self, &kind->parts[i]) < 0)
            return -1;
    return 0;
}

/* ---- Entry */

static int entry_clear(PyObject *object)
{
    Entry *const self = (Entry *)object;
    Py_CLEAR(self->worker);
    Py_CLEAR(self->slowly);
    Py_CLEAR(self->converter);
    Py_CLEAR(self->handle_type);
    Py_CLEAR(self->accepts);
    Py_CLEAR(self->raised);
    Py_CLEAR(self->unwritten);
    Py_CLEAR(self->from_heap);
    Py_CLEAR(self->waiting);
    clear_kind(&self->parameters);
    clear_kind(&self->result);
    return 0;
}

static int entry_traverse(PyObject *object, visitproc visit, void *arg)
{
    const Entry *const self = (const Entry *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->worker);
    Py_VISIT(self->slowly);
    Py_VISIT(self->converter);
    Py_VISIT(self->handle_type);
    Py_VISIT(self->accepts);
    Py_VISIT(self->raised);
    Py_VISIT(self->unwritten);
    Py_VISIT(self->from_heap);
    Py_VISIT(self->waiting);
    const int failed = visit_kind(&self->parameters, visit, arg);
    return failed ? failed : visit_kind(&self->result, visit, arg);
}

static void entry_dealloc(PyObject *object)
{
    PyTypeObject *const type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    entry_clear(object);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyTypeObject *worker_type;

/* Entry(address, worker, is_long, lends, slowly,
 *       (converter, handle_type, accepts, raised, unwritten, from_heap, waiting), parameters, result) */
static PyObject *entry_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    unsigned long long address;
    PyObject *worker, *slowly;
    PyObject *converter, *handle_type, *accepts, *raised, *unwritten, *from_heap, *waiting, *parameters, *result;
    int is_long, lends;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "Entry takes no arguments by name");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "KO!ppO(OOOOOOO)O!O!", &address, worker_type, &worker, &is_long, &lends, &slowly, &converter, &handle_type, &accepts, &raised,
                          &unwritten, &from_heap, &waiting, &PyTuple_Type, &parameters, &PyTuple_Type, &result))
        return NULL;
    Entry *const self = (Entry *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = entry_vectorcall;
    self->call = (function *)(uintptr_t)address;
    self->worker = (Worker *)Py_NewRef(worker);
    self->is_long = is_long != 0;
    self->lends = lends != 0;
    self->slowly = Py_NewRef(slowly);
    self->converter = Py_NewRef(converter);
    self->handle_type = Py_NewRef(handle_type);
    self->accepts = Py_NewRef(accepts);
    self->raised = Py_NewRef(raised);
    self->unwritten = Py_NewRef(unwritten);
    self->from_heap = Py_NewRef(from_heap);
    self->waiting = Py_NewRef(waiting);
    if (set_kind(&self->parameters, parameters) < 0 || set_kind(&self->result, result) < 0 ||
        count_words(self, &self->result) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    self->count = self->parameters.count;
    return (PyObject *)self;
}

static PyMemberDef entry_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Entry, vectorcall), READONLY, NULL},
    {NULL},
};

static PyType_Slot entry_slots[] = {
    {Py_tp_new, entry_new},           {Py_tp_call, PyVectorcall_Call}, {Py_tp_dealloc, entry_dealloc},
    {Py_tp_traverse, entry_traverse}, {Py_tp_clear, entry_clear},      {Py_tp_members, entry_members},
    {0, NULL},
};

static PyType_Spec entry_spec = {
    .name = "usl_perceus_entry.Entry",
    .basicsize = sizeof(Entry),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = entry_slots,
};

/* ---- Worker */

static int prepare(struct signal *signal)
{
    atomic_init(&signal->sent, false);
    atomic_init(&signal->asleep, false);
    signal->lock = PyThread_allocate_lock();
    if (signal->lock == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    (void)PyThread_acquire_lock(signal->lock, WAIT_LOCK);
    return 0;
}

static PyObject *worker_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyObject *start, *lock, *acquire, *release, *prints, *dropped, *collect;
    long nanoseconds;
    unsigned long long at[11];
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "Worker takes no arguments by name");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "OlOOOOOO(KKKKKKKKKKK)", &start, &nanoseconds, &lock, &acquire, &release, &prints, &dropped, &collect, &at[0], &at[1], &at[2], &at[3], &at[4], &at[5], &at[6],
                          &at[7], &at[8], &at[9], &at[10]))
        return NULL;
    Worker *const self = (Worker *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    struct runtime *const runtime = &self->runtime;
    runtime->release = (void (*)(void *, usl_context *))(uintptr_t)at[0];
    runtime->retain = (void (*)(void *))(uintptr_t)at[1];
    runtime->has_thrown = (bool (*)(const usl_context *))(uintptr_t)at[2];
    runtime->take_exception = (void *(*)(usl_context *))(uintptr_t)at[3];
    runtime->was_out_of_memory = (bool (*)(usl_context *))(uintptr_t)at[4];
    runtime->string_new = (void *(*)(const char *, size_t, const char *, usl_context *))(uintptr_t)at[5];
    runtime->array_new = (void *(*)(int64_t, size_t, const char *, usl_context *))(uintptr_t)at[6];
    runtime->array_lent = (void *(*)(int64_t, void *, const char *, usl_context *))(uintptr_t)at[7];
    runtime->array_return = (void (*)(void *, size_t, usl_context *))(uintptr_t)at[8];
    runtime->context = (usl_context *)(uintptr_t)at[9];
    runtime->site = (const char *)(uintptr_t)at[10];
    self->start = Py_NewRef(start);
    self->lock = Py_NewRef(lock);
    self->acquire = Py_NewRef(acquire);
    self->release = Py_NewRef(release);
    self->prints = Py_NewRef(prints);
    self->dropped = Py_NewRef(dropped);
    self->collect = Py_NewRef(collect);
    self->nanoseconds = nanoseconds;
    if (prepare(&self->begin) < 0 || prepare(&self->end) < 0) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

/* In the child of a fork, which has no other threads: the next call starts one. */
static PyObject *worker_forked(PyObject *object, PyObject *none)
{
    Worker *const self = (Worker *)object;
    (void)none;
    self->has_thread = false;
    if (prepare(&self->begin) < 0 || prepare(&self->end) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static PyObject *worker_over(PyObject *object, void *closure)
{
    (void)closure;
    return PyBool_FromLong(atomic_load(&((Worker *)object)->end.sent));
}

/* After a call that was given up is over. */
static PyObject *worker_discard(PyObject *object, PyObject *result)
{
    Worker *const self = (Worker *)object;
    (void)result;
    PyObject *const entry = self->entry;
    if (entry != NULL) {
        self->entry = NULL;
        atomic_store(&self->end.sent, false);
        discard((Entry *)entry, &self->task);
        Py_DECREF(entry);
    }
    Py_RETURN_NONE;
}

static void worker_dealloc(PyObject *object)
{
    const Worker *const self = (const Worker *)object; /* a thread would hold a reference: there is none */
    PyTypeObject *const type = Py_TYPE(object);
    Py_XDECREF(self->start);
    Py_XDECREF(self->lock);
    Py_XDECREF(self->acquire);
    Py_XDECREF(self->release);
    Py_XDECREF(self->prints);
    Py_XDECREF(self->dropped);
    Py_XDECREF(self->collect);
    type->tp_free(object);
    Py_DECREF(type);
}

static PyMethodDef worker_methods[] = {
    {"work", worker_work, METH_NOARGS, "Makes calls, for ever."},
    {"drop", worker_drop, METH_O, "Gives up a reference to the block at an address."},
    {"forked", worker_forked, METH_NOARGS, "In the child of a fork."},
    {"discard", worker_discard, METH_O, "Gives up what the call gave that was given up."},
    {NULL},
};

static PyObject *worker_none(PyObject *object, void *closure)
{
    (void)object, (void)closure;
    Py_RETURN_NONE;
}

static PyGetSetDef worker_getset[] = {
    {"over", worker_over, NULL, "Whether the call that was given up is over.", NULL},
    {"error", worker_none, NULL, "Calls in C raise nothing in Python.", NULL},
    {"result", worker_none, NULL, "The result stays here.", NULL},
    {NULL},
};

static PyMemberDef worker_members[] = {
    {"failed", T_BOOL, offsetof(Worker, failed), 0, NULL},
    {NULL},
};

static PyType_Slot worker_slots[] = {
    {Py_tp_new, worker_new},       {Py_tp_dealloc, worker_dealloc}, {Py_tp_methods, worker_methods},
    {Py_tp_getset, worker_getset}, {Py_tp_members, worker_members}, {0, NULL},
};

static PyType_Spec worker_spec = {
    .name = "usl_perceus_entry.Worker",
    .basicsize = sizeof(Worker),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = worker_slots,
};

/* ---- the module */

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "usl_perceus_entry", .m_size = -1};

PyMODINIT_FUNC PyInit_usl_perceus_entry(void)
{
    name_abandoned = PyUnicode_InternFromString("abandoned");
    name_abandon = PyUnicode_InternFromString("abandon");
    name_append = PyUnicode_InternFromString("append");
    name_converter = PyUnicode_InternFromString("_converter");
    name_type = PyUnicode_InternFromString("_type");
    name_address = PyUnicode_InternFromString("_address");
    name_fields = PyUnicode_InternFromString("fields");
    if (!name_abandoned || !name_abandon || !name_append || !name_converter || !name_type || !name_address || !name_fields)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    PyObject *entry = made == NULL ? NULL : PyType_FromSpec(&entry_spec);
    worker_type = entry == NULL ? NULL : (PyTypeObject *)PyType_FromSpec(&worker_spec);
    elements_type = worker_type == NULL ? NULL : (PyTypeObject *)PyType_FromSpec(&elements_spec);
    if (elements_type == NULL || PyModule_AddObject(made, "Entry", entry) < 0 ||
        PyModule_AddObject(made, "Worker", Py_NewRef((PyObject *)worker_type)) < 0) {
        Py_XDECREF(made);
        return NULL;
    }
    return made;
}
