/*
 * Calls of kernels from CPython, for NumPy arrays.
 *
 * A Quick stands before a function in Python. It takes only what is plainly right, calls the compiled kernel, and gives what that
 * function would give; everything else it hands on to the function, which knows what to say. So each test here may refuse too
 * much, and none may accept too much.
 */

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <limits.h>
#include <math.h>
#include <numpy/arrayobject.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <structmember.h>

enum { MOST = 8 };

/* What CBLAS calls the options. */
enum { NO_TRANS = 111, TRANS, UPPER = 121, LOWER, NON_UNIT = 131, UNIT, LEFT = 141, RIGHT };

typedef struct Quick Quick;

/* Calls the kernel for as many arguments as there are names, NULL for what was not given. NULL without an error: not taken. */
typedef PyObject *form(const Quick *self, PyObject *const *given);

struct Quick {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    form *form;
    void *call;        /* the kernel; NULL where there are several, */
    PyObject *kernels; /* whose addresses this dictionary has, as soon as they are built, by what a form asks for; else NULL */
    PyObject *slowly, *refused; /* what does the call otherwise; what raises the error that a status stands for */
    PyObject *names;
};

/* The result, or the error of a status that is not 0. It steals the result. */
static PyObject *finished(const Quick *self, int status, PyObject *result)
{
    if (status == 0)
        return result;
    Py_XDECREF(result);
    PyObject *number = PyLong_FromLong(status), *none = NULL;
    if (number != NULL)
        none = PyObject_CallOneArg(self->refused, number);
    Py_XDECREF(number);
    Py_XDECREF(none);
    return NULL;
}

/* Declares the status of a call of a kernel, of this type, during which other threads of Python may run. */
#define CALL_OF(kernel, type, ...)                \
    int status;                                   \
    Py_BEGIN_ALLOW_THREADS                        \
    status = ((type *)(kernel))(__VA_ARGS__);     \
    Py_END_ALLOW_THREADS

/* The same of the only one. */
#define CALL(type, ...) CALL_OF(self->call, type, __VA_ARGS__)

/* One of several kernels; NULL where it is not built yet. */
static void *kernel_of(const Quick *self, PyObject *key)
{
    PyObject *address = key == NULL ? NULL : PyDict_GetItemWithError(self->kernels, key);
    if (address == NULL)
        PyErr_Clear();
    return address == NULL ? NULL : PyLong_AsVoidPtr(address);
}

static void *kernel_numbered(const Quick *self, long number)
{
    PyObject *key = PyLong_FromLong(number);
    void *found = kernel_of(self, key);
    Py_XDECREF(key);
    return found;
}

#define NONE Py_NewRef(Py_None)

/* @types */

/* ---- arguments */

static PyArrayObject *array_of(PyObject *value, int type, int written)
{
    if (value == NULL || !PyArray_CheckExact(value))
        return NULL;
    PyArrayObject *array = (PyArrayObject *)value;
    const int flags = NPY_ARRAY_ALIGNED | (written ? NPY_ARRAY_WRITEABLE : 0);
    return PyArray_TYPE(array) == type && PyArray_CHKFLAGS(array, flags) && PyArray_ISNOTSWAPPED(array) ? array : NULL;
}

struct vector {
    int64_t n, step; /* elements, and how far each is from the one before */
    void *least;     /* the least address of one */
};

static int take_vector(PyObject *value, int type, int written, struct vector *to)
{
    PyArrayObject *array = array_of(value, type, written);
    if (array == NULL || PyArray_NDIM(array) != 1 || PyArray_DIM(array, 0) == 0)
        return 0;
    const npy_intp n = PyArray_DIM(array, 0), stride = PyArray_STRIDE(array, 0), size = PyArray_ITEMSIZE(array);
    const int dense = PyArray_CHKFLAGS(array, NPY_ARRAY_C_CONTIGUOUS);
    to->n = n;
    to->step = dense ? 1 : stride / size;
    to->least = PyArray_BYTES(array) + (dense || stride > 0 ? 0 : (n - 1) * stride);
    return to->step != 0;
}

struct matrix {
    int64_t rows, columns, distance; /* the distance of rows in memory, in elements */
    int turned;                      /* whether those are the columns */
    void *data;
};

/* The matrix of the last two dimensions of an array that has elements, the first one if there are many. */
static int take_last_two(PyArrayObject *array, int transposed, struct matrix *to)
{
    const int last = PyArray_NDIM(array) - 1;
    const npy_intp rows = PyArray_DIM(array, last - 1), columns = PyArray_DIM(array, last), size = PyArray_ITEMSIZE(array);
    const npy_intp down = PyArray_STRIDE(array, last - 1), along = PyArray_STRIDE(array, last);
    int turned = 0;
    npy_intp length = columns, distance = columns;
    if (!((columns == 1 || along == size) && (rows == 1 || down == columns * size))) {
        turned = !(along == size || columns == 1);
        if (turned && !(down == size || rows == 1))
            return 0;
        length = turned ? rows : columns;
        distance = (turned ? along : down) / size;
    }
    if (distance < length)
        return 0;
    *to = (struct matrix){transposed ? columns : rows, transposed ? rows : columns, distance, turned != transposed,
                          PyArray_BYTES(array)};
    return 1;
}

static int take_matrix(PyObject *value, int type, int written, int transposed, struct matrix *to)
{
    PyArrayObject *array = array_of(value, type, written);
    return array != NULL && PyArray_NDIM(array) == 2 && PyArray_SIZE(array) != 0 && take_last_two(array, transposed, to);
}

struct batch {
    int64_t count, step; /* matrices, and how far each is from the one before, in elements */
    struct matrix first;
};

static int take_batch(PyObject *value, int type, int written, int transposed, struct batch *to)
{
    PyArrayObject *array = array_of(value, type, written);
    if (array == NULL || PyArray_NDIM(array) != 3 || PyArray_SIZE(array) == 0)
        return 0;
    const npy_intp step = PyArray_DIM(array, 0) > 1 ? PyArray_STRIDE(array, 0) : 0, size = PyArray_ITEMSIZE(array);
    to->count = PyArray_DIM(array, 0);
    to->step = step / size;
    return step >= 0 && step % size == 0 && take_last_two(array, transposed, &to->first);
}

/* An array whose elements follow each other in the order of its dimensions, of which there is at least one. */
static PyArrayObject *dense_of(PyObject *value, int type, int written)
{
    PyArrayObject *array = array_of(value, type, written);
    if (array == NULL || !PyArray_CHKFLAGS(array, NPY_ARRAY_C_CONTIGUOUS) || PyArray_NDIM(array) == 0 || PyArray_SIZE(array) == 0)
        return NULL;
    return array;
}

static int same_shape(PyArrayObject *a, PyArrayObject *b)
{
    return PyArray_NDIM(a) == PyArray_NDIM(b) &&
           memcmp(PyArray_DIMS(a), PyArray_DIMS(b), (size_t)PyArray_NDIM(a) * sizeof(npy_intp)) == 0;
}

static int bytes_apart(const void *a, npy_intp a_bytes, const void *b, npy_intp b_bytes)
{
    const uintptr_t first = (uintptr_t)a, second = (uintptr_t)b;
    return first + (uintptr_t)a_bytes <= second || second + (uintptr_t)b_bytes <= first;
}

/* Whether two dense arrays share no memory. */
static int apart(PyArrayObject *a, PyArrayObject *b)
{
    return bytes_apart(PyArray_DATA(a), PyArray_NBYTES(a), PyArray_DATA(b), PyArray_NBYTES(b));
}

/* A new reference: out, or a new array of as many dimensions as x and its type where there is none. NULL without an error: out is
 * not taken. */
static PyArrayObject *result_of(PyArrayObject *x, const npy_intp *shape, PyObject *out)
{
    if (out == NULL || out == Py_None)
        return (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(x), shape, PyArray_TYPE(x));
    PyArrayObject *y = dense_of(out, PyArray_TYPE(x), 1);
    if (y == NULL || PyArray_NDIM(y) != PyArray_NDIM(x) ||
        memcmp(shape, PyArray_DIMS(y), (size_t)PyArray_NDIM(x) * sizeof *shape) != 0 || !apart(x, y))
        return NULL;
    return (PyArrayObject *)Py_NewRef(y);
}

static PyArrayObject *result_like(PyArrayObject *x, PyObject *out)
{
    return result_of(x, PyArray_DIMS(x), out);
}

/* A real number, or what stands for it where it was not given. A finite one stays so in the precision of a double or a float. */
static int take_double(PyObject *value, double otherwise, double *to)
{
    int overflow = 0;
    if (value == NULL)
        *to = otherwise;
    else if (PyFloat_CheckExact(value))
        *to = PyFloat_AS_DOUBLE(value);
    else if (PyLong_CheckExact(value))
        *to = (double)PyLong_AsLongLongAndOverflow(value, &overflow);
    else
        return 0;
    return !overflow;
}

static int take_float(PyObject *value, double otherwise, float *to)
{
    double wide;
    if (!take_double(value, otherwise, &wide))
        return 0;
    *to = (float)wide;
    return !isinf(*to) || isinf(wide);
}

static int take_option(PyObject *value, int *to)
{
    *to = value == Py_True;
    return value == NULL || value == Py_True || value == Py_False;
}

/* An integer from least on, or what stands for it where it was not given; one above most is most. */
static int take_integer(PyObject *value, long least, long most, long otherwise, int *to)
{
    int overflow = 0;
    long found = otherwise;
    if (value != NULL) {
        if (!PyLong_CheckExact(value))
            return 0;
        found = PyLong_AsLongAndOverflow(value, &overflow);
    }
    *to = (int)(overflow > 0 || found > most ? most : found);
    return overflow >= 0 && found >= least;
}

/* How many threads a call may have: 1 where it was not given; 0, which is as many as are usual, for None. */
static int take_threads(PyObject *value, int *to)
{
    *to = 0;
    return value == Py_None || take_integer(value, 1, INT_MAX, 1, to);
}

/* @networks */

/* @precision */

/* alpha, x, y */
static PyObject *@P@_axpy(const Quick *self, PyObject *const *given)
{
    @T@ alpha;
    struct vector x, y;
    if (!take_@T@(given[0], 1, &alpha) || given[0] == NULL || !take_vector(given[1], @N@, 0, &x) ||
        !take_vector(given[2], @N@, 1, &y) || x.n != y.n)
        return NULL;
    CALL(usl_@P@axpy, x.n, alpha, x.least, x.step, y.least, y.step)
    return finished(self, status, NONE);
}

/* alpha, x */
static PyObject *@P@_scal(const Quick *self, PyObject *const *given)
{
    @T@ alpha;
    struct vector x;
    if (given[0] == NULL || !take_@T@(given[0], 1, &alpha) || !take_vector(given[1], @N@, 1, &x))
        return NULL;
    CALL(usl_@P@scal, x.n, alpha, x.least, llabs(x.step))
    return finished(self, status, NONE);
}

/* x, y */
static PyObject *@P@_dot(const Quick *self, PyObject *const *given)
{
    struct vector x, y;
    @T@ sum = 0;
    if (!take_vector(given[0], @N@, 0, &x) || !take_vector(given[1], @N@, 0, &y) || x.n != y.n)
        return NULL;
    CALL(usl_@P@dot, x.n, x.least, x.step, y.least, y.step, &sum)
    return finished(self, status, PyFloat_FromDouble((double)sum));
}

/* x */
static PyObject *@P@_asum(const Quick *self, PyObject *const *given)
{
    struct vector x;
    @T@ sum = 0;
    if (!take_vector(given[0], @N@, 0, &x))
        return NULL;
    CALL(usl_@P@asum, x.n, x.least, llabs(x.step), &sum)
    return finished(self, status, PyFloat_FromDouble((double)sum));
}

/* x */
static PyObject *@P@_iamax(const Quick *self, PyObject *const *given)
{
    struct vector x;
    int64_t position = 0;
    if (!take_vector(given[0], @N@, 0, &x) || x.step < 0)
        return NULL;
    CALL(usl_i@P@amax, x.n, x.least, x.step, &position)
    return finished(self, status, PyLong_FromLongLong(position));
}

/* x, y */
static PyObject *@P@_copy(const Quick *self, PyObject *const *given)
{
    struct vector x, y;
    if (!take_vector(given[0], @N@, 0, &x) || !take_vector(given[1], @N@, 1, &y) || x.n != y.n)
        return NULL;
    CALL(usl_@P@copy, x.n, x.least, x.step, y.least, y.step)
    return finished(self, status, NONE);
}

/* x, y */
static PyObject *@P@_swap(const Quick *self, PyObject *const *given)
{
    struct vector x, y;
    if (!take_vector(given[0], @N@, 1, &x) || !take_vector(given[1], @N@, 1, &y) || x.n != y.n)
        return NULL;
    CALL(usl_@P@swap, x.n, x.least, x.step, y.least, y.step)
    return finished(self, status, NONE);
}

/* x, y, c, s */
static PyObject *@P@_rot(const Quick *self, PyObject *const *given)
{
    struct vector x, y;
    @T@ c, s;
    if (given[2] == NULL || given[3] == NULL || !take_@T@(given[2], 1, &c) || !take_@T@(given[3], 0, &s) ||
        !take_vector(given[0], @N@, 1, &x) || !take_vector(given[1], @N@, 1, &y) || x.n != y.n)
        return NULL;
    CALL(usl_@P@rot, x.n, x.least, x.step, y.least, y.step, c, s)
    return finished(self, status, NONE);
}

/* alpha, A, x, beta, y, trans */
static PyObject *@P@_gemv(const Quick *self, PyObject *const *given)
{
    struct matrix A;
    struct vector x, y;
    @T@ alpha, beta;
    int trans;
    if (given[0] == NULL || given[3] == NULL || !take_@T@(given[0], 1, &alpha) || !take_@T@(given[3], 1, &beta) ||
        !take_option(given[5], &trans) || !take_matrix(given[1], @N@, 0, 0, &A) || !take_vector(given[2], @N@, 0, &x) ||
        !take_vector(given[4], @N@, 1, &y) || x.n != (trans ? A.rows : A.columns) || y.n != (trans ? A.columns : A.rows))
        return NULL;
    const int64_t rows = A.turned ? A.columns : A.rows, columns = A.turned ? A.rows : A.columns;
    CALL(usl_@P@gemv, trans != A.turned ? TRANS : NO_TRANS, rows, columns, alpha, A.data, A.distance, x.least, x.step, beta,
         y.least, y.step)
    return finished(self, status, NONE);
}

/* alpha, x, y, A */
static PyObject *@P@_ger(const Quick *self, PyObject *const *given)
{
    struct matrix A;
    struct vector x, y;
    @T@ alpha;
    if (given[0] == NULL || !take_@T@(given[0], 1, &alpha) || !take_vector(given[1], @N@, 0, &x) ||
        !take_vector(given[2], @N@, 0, &y) || !take_matrix(given[3], @N@, 1, 0, &A) || x.n != A.rows || y.n != A.columns)
        return NULL;
    const struct vector down = A.turned ? y : x, along = A.turned ? x : y;
    CALL(usl_@P@ger, down.n, along.n, alpha, down.least, down.step, along.least, along.step, A.data, A.distance)
    return finished(self, status, NONE);
}

/* alpha, A, x, beta, y, lower */
static PyObject *@P@_symv(const Quick *self, PyObject *const *given)
{
    struct matrix A;
    struct vector x, y;
    @T@ alpha, beta;
    int lower;
    if (given[0] == NULL || given[3] == NULL || !take_@T@(given[0], 1, &alpha) || !take_@T@(given[3], 1, &beta) ||
        !take_option(given[5], &lower) || !take_matrix(given[1], @N@, 0, 0, &A) || A.rows != A.columns ||
        !take_vector(given[2], @N@, 0, &x) || !take_vector(given[4], @N@, 1, &y) || x.n != A.rows || y.n != A.rows)
        return NULL;
    CALL(usl_@P@symv, lower != A.turned ? LOWER : UPPER, A.rows, alpha, A.data, A.distance, x.least, x.step, beta, y.least, y.step)
    return finished(self, status, NONE);
}

/* A, x, lower, trans, unit */
static PyObject *@P@_triangular_vector(const Quick *self, PyObject *const *given)
{
    struct matrix A;
    struct vector x;
    int lower, trans, unit;
    if (!take_option(given[2], &lower) || !take_option(given[3], &trans) || !take_option(given[4], &unit) ||
        !take_matrix(given[0], @N@, 0, 0, &A) || A.rows != A.columns || !take_vector(given[1], @N@, 1, &x) || x.n != A.rows)
        return NULL;
    CALL(usl_@P@trmv, lower != A.turned ? LOWER : UPPER, trans != A.turned ? TRANS : NO_TRANS, unit ? UNIT : NON_UNIT, A.rows,
         A.data, A.distance, x.least, x.step)
    return finished(self, status, NONE);
}

/* A, B, C, alpha, beta, transA, transB, threads */
static PyObject *@P@_gemm(const Quick *self, PyObject *const *given)
{
    struct matrix A, B, C;
    @T@ alpha, beta;
    int trans_a, trans_b, threads;
    if (!take_threads(given[7], &threads) || !take_@T@(given[3], 1, &alpha) || !take_@T@(given[4], 1, &beta) || !take_option(given[5], &trans_a) ||
        !take_option(given[6], &trans_b) || !take_matrix(given[0], @N@, 0, trans_a, &A) ||
        !take_matrix(given[1], @N@, 0, trans_b, &B) || !take_matrix(given[2], @N@, 1, 0, &C) || B.rows != A.columns ||
        C.rows != A.rows || C.columns != B.columns)
        return NULL;
    if (C.turned) { /* the transposed product */
        const struct matrix first = {B.columns, B.rows, B.distance, !B.turned, B.data};
        B = (struct matrix){A.columns, A.rows, A.distance, !A.turned, A.data};
        A = first;
    }
    CALL(usl_@P@gemm_threads, threads, A.turned ? TRANS : NO_TRANS, B.turned ? TRANS : NO_TRANS, A.rows, B.columns, A.columns, alpha,
         A.data, A.distance, B.data, B.distance, beta, C.data, C.distance)
    return finished(self, status, NONE);
}

/* A, B, C, alpha, beta, transA, transB, threads */
static PyObject *@P@_gemm_batch_strided(const Quick *self, PyObject *const *given)
{
    struct batch A, B, C;
    @T@ alpha, beta;
    int trans_a, trans_b, threads;
    if (!take_threads(given[7], &threads) || !take_@T@(given[3], 1, &alpha) || !take_@T@(given[4], 1, &beta) || !take_option(given[5], &trans_a) ||
        !take_option(given[6], &trans_b) || !take_batch(given[0], @N@, 0, trans_a, &A) ||
        !take_batch(given[1], @N@, 0, trans_b, &B) || !take_batch(given[2], @N@, 1, 0, &C) || A.count != C.count ||
        B.count != C.count || B.first.rows != A.first.columns || C.first.rows != A.first.rows ||
        C.first.columns != B.first.columns)
        return NULL;
    int64_t rows = A.first.rows, columns = B.first.columns;
    const int64_t terms = A.first.columns;
    if (C.first.turned) { /* the transposed products */
        const struct batch first = B;
        B = A;
        A = first;
        A.first.turned = !A.first.turned;
        B.first.turned = !B.first.turned;
        rows = C.first.columns;
        columns = C.first.rows;
    }
    CALL(usl_@P@gemm_batch_strided_threads, threads, A.first.turned ? TRANS : NO_TRANS, B.first.turned ? TRANS : NO_TRANS, rows, columns, terms, alpha,
         A.first.data, A.first.distance, A.step, B.first.data, B.first.distance, B.step, beta, C.first.data, C.first.distance,
         C.step, C.count)
    return finished(self, status, NONE);
}

/* alpha, A, B, beta, C, right, lower, threads */
static PyObject *@P@_symm(const Quick *self, PyObject *const *given)
{
    struct matrix A, B, C;
    @T@ alpha, beta;
    int right, lower, threads;
    if (!take_threads(given[7], &threads) || given[0] == NULL || given[3] == NULL || !take_@T@(given[0], 1, &alpha) || !take_@T@(given[3], 1, &beta) ||
        !take_option(given[5], &right) || !take_option(given[6], &lower) || !take_matrix(given[1], @N@, 0, 0, &A) ||
        !take_matrix(given[2], @N@, 0, 0, &B) || !take_matrix(given[4], @N@, 1, 0, &C) || A.rows != A.columns ||
        B.rows != C.rows || B.columns != C.columns || A.rows != (right ? B.columns : B.rows) || B.turned != C.turned)
        return NULL;
    const int side = right != C.turned ? RIGHT : LEFT;
    CALL(usl_@P@symm_threads, threads, side, lower != A.turned ? LOWER : UPPER, C.turned ? C.columns : C.rows, C.turned ? C.rows : C.columns, alpha,
         A.data, A.distance, B.data, B.distance, beta, C.data, C.distance)
    return finished(self, status, NONE);
}

/* alpha, A, beta, C, lower, trans, threads */
static PyObject *@P@_syrk(const Quick *self, PyObject *const *given)
{
    struct matrix A, C;
    @T@ alpha, beta;
    int lower, trans, threads;
    if (!take_threads(given[6], &threads) || given[0] == NULL || given[2] == NULL || !take_@T@(given[0], 1, &alpha) || !take_@T@(given[2], 1, &beta) ||
        !take_option(given[4], &lower) || !take_option(given[5], &trans) || !take_matrix(given[1], @N@, 0, trans, &A) ||
        !take_matrix(given[3], @N@, 1, 0, &C) || C.rows != C.columns || A.rows != C.rows)
        return NULL;
    CALL(usl_@P@syrk_threads, threads, lower != C.turned ? LOWER : UPPER, A.turned ? TRANS : NO_TRANS, C.rows, A.columns, alpha, A.data, A.distance,
         beta, C.data, C.distance)
    return finished(self, status, NONE);
}

/* alpha, A, B, beta, C, lower, trans, threads */
static PyObject *@P@_syr2k(const Quick *self, PyObject *const *given)
{
    struct matrix A, B, C;
    @T@ alpha, beta;
    int lower, trans, threads;
    if (!take_threads(given[7], &threads) || given[0] == NULL || given[3] == NULL || !take_@T@(given[0], 1, &alpha) || !take_@T@(given[3], 1, &beta) ||
        !take_option(given[5], &lower) || !take_option(given[6], &trans) || !take_matrix(given[1], @N@, 0, trans, &A) ||
        !take_matrix(given[2], @N@, 0, trans, &B) || !take_matrix(given[4], @N@, 1, 0, &C) || C.rows != C.columns ||
        A.rows != C.rows || B.rows != A.rows || B.columns != A.columns || A.turned != B.turned)
        return NULL;
    CALL(usl_@P@syr2k_threads, threads, lower != C.turned ? LOWER : UPPER, A.turned ? TRANS : NO_TRANS, C.rows, A.columns, alpha, A.data, A.distance,
         B.data, B.distance, beta, C.data, C.distance)
    return finished(self, status, NONE);
}

/* alpha, A, B, right, lower, trans, unit, threads */
static PyObject *@P@_triangular_matrix(const Quick *self, PyObject *const *given)
{
    struct matrix A, B;
    @T@ alpha;
    int right, lower, trans, unit, threads;
    if (!take_threads(given[7], &threads) || given[0] == NULL || !take_@T@(given[0], 1, &alpha) || !take_option(given[3], &right) || !take_option(given[4], &lower) ||
        !take_option(given[5], &trans) || !take_option(given[6], &unit) || !take_matrix(given[1], @N@, 0, 0, &A) ||
        !take_matrix(given[2], @N@, 1, 0, &B) || A.rows != A.columns || A.rows != (right ? B.columns : B.rows))
        return NULL;
    lower = lower != A.turned;
    trans = trans != A.turned;
    if (B.turned) { /* the transposed equation */
        right = !right;
        trans = !trans;
    }
    CALL(usl_@P@trmm_threads, threads, right ? RIGHT : LEFT, lower ? LOWER : UPPER, trans ? TRANS : NO_TRANS, unit ? UNIT : NON_UNIT,
         B.turned ? B.columns : B.rows, B.turned ? B.rows : B.columns, alpha, A.data, A.distance, B.data, B.distance)
    return finished(self, status, NONE);
}

/* @end */

/* ---- the type */

static const struct {
    const char *name;
    form *form;
} FORMS[] = {
    {"rows", of_rows},
    {"elements", of_elements},
    {"each row", of_each_row},
    {"argmax", of_argmax},
    {"layer_norm", of_layer_norm},
    {"rms_norm", of_rms_norm},
    {"cross_entropy", of_cross_entropy},
    {"compress", of_compress},
    {"pooling", of_pooling},
    {"attention", of_attention},
    {"gemm_u8s8", of_u8s8},
    {"gemm_s8s8", of_s8s8},
    {"gemm_s16s16", of_s16s16},
    {"gemm_bf16", of_bf16},
#define BOTH(name, of) {"s" name, s_##of}, {"d" name, d_##of},
    BOTH("axpy", axpy) BOTH("scal", scal) BOTH("dot", dot) BOTH("asum", asum) BOTH("nrm2", asum) BOTH("iamax", iamax)
    BOTH("copy", copy) BOTH("swap", swap) BOTH("rot", rot) BOTH("gemv", gemv) BOTH("ger", ger) BOTH("symv", symv)
    BOTH("trmv", triangular_vector) BOTH("trsv", triangular_vector) BOTH("gemm", gemm)
    BOTH("gemm_batch_strided", gemm_batch_strided) BOTH("symm", symm) BOTH("syrk", syrk)
    BOTH("syr2k", syr2k) BOTH("trmm", triangular_matrix) BOTH("trsm", triangular_matrix)
};

/* The arguments in the order of the names, NULL for what is not given; whether each was given once and by a known name. */
static int in_order(const Quick *self, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **given)
{
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names), most = PyTuple_GET_SIZE(self->names);
    if (count + named > most)
        return 0;
    for (Py_ssize_t i = 0; i < most; i++)
        given[i] = i < count ? args[i] : NULL;
    for (Py_ssize_t k = 0; k < named; k++) {
        Py_ssize_t at = count;
        while (at < most && PyTuple_GET_ITEM(self->names, at) != PyTuple_GET_ITEM(names, k))
            at++;
        if (at == most || given[at] != NULL)
            return 0;
        given[at] = args[count + k];
    }
    return 1;
}

static PyObject *quick_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *names)
{
    const Quick *self = (const Quick *)object;
    PyObject *given[MOST], *result = NULL;
    if (in_order(self, args, PyVectorcall_NARGS(nargsf), names, given))
        result = self->form(self, given);
    return result != NULL || PyErr_Occurred() ? result : PyObject_Vectorcall(self->slowly, args, nargsf, names);
}

static int quick_clear(PyObject *object)
{
    Quick *self = (Quick *)object;
    Py_CLEAR(self->kernels);
    Py_CLEAR(self->slowly);
    Py_CLEAR(self->refused);
    return 0;
}

static int quick_traverse(PyObject *object, visitproc visit, void *arg)
{
    const Quick *self = (const Quick *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->kernels);
    Py_VISIT(self->slowly);
    Py_VISIT(self->refused);
    return 0;
}

static void quick_dealloc(PyObject *object)
{
    Quick *self = (Quick *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    quick_clear(object);
    Py_XDECREF(self->names);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Quick(form, kernel, slowly, refused, names): the kernel's address, or a dictionary of addresses; interned names of at most MOST
 * parameters, those by position first. */
static PyObject *quick_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    const char *name;
    PyObject *kernel, *slowly, *refused, *names;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "Quick takes no arguments by name");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "sOOOO!", &name, &kernel, &slowly, &refused, &PyTuple_Type, &names))
        return NULL;
    size_t at = 0;
    while (at < sizeof FORMS / sizeof *FORMS && strcmp(FORMS[at].name, name) != 0)
        at++;
    if (at == sizeof FORMS / sizeof *FORMS || PyTuple_GET_SIZE(names) > MOST) {
        PyErr_Format(PyExc_ValueError, "no form is called %s, or there are more than %d names", name, MOST);
        return NULL;
    }
    const int several = PyDict_CheckExact(kernel);
    void *call = several ? NULL : PyLong_AsVoidPtr(kernel);
    if (PyErr_Occurred())
        return NULL;
    Quick *self = (Quick *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = quick_vectorcall;
    self->form = FORMS[at].form;
    self->call = call;
    self->kernels = several ? Py_NewRef(kernel) : NULL;
    self->slowly = Py_NewRef(slowly);
    self->refused = Py_NewRef(refused);
    self->names = Py_NewRef(names);
    return (PyObject *)self;
}

static PyMemberDef quick_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Quick, vectorcall), READONLY, NULL},
    {NULL},
};

static PyType_Slot quick_slots[] = {
    {Py_tp_new, quick_new},           {Py_tp_call, PyVectorcall_Call}, {Py_tp_dealloc, quick_dealloc},
    {Py_tp_traverse, quick_traverse}, {Py_tp_clear, quick_clear},      {Py_tp_members, quick_members},
    {0, NULL},
};

static PyType_Spec quick_spec = {
    .name = "usl_quick.Quick",
    .basicsize = sizeof(Quick),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = quick_slots,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "usl_quick", .m_size = -1};

PyMODINIT_FUNC PyInit_usl_quick(void)
{
    import_array();
    KIND = PyUnicode_InternFromString("kind");
    ROWS = PyUnicode_InternFromString("rows");
    COLUMNS = PyUnicode_InternFromString("columns");
    PANELS = PyUnicode_InternFromString("panels");
    SUMS = PyUnicode_InternFromString("sums");
    if (KIND == NULL || ROWS == NULL || COLUMNS == NULL || PANELS == NULL || SUMS == NULL)
        return NULL;
    PyObject *made = PyModule_Create(&module);
    PyObject *type = made == NULL ? NULL : PyType_FromSpec(&quick_spec);
    if (type == NULL || PyModule_AddObject(made, "Quick", type) < 0) {
        Py_XDECREF(type);
        Py_XDECREF(made);
        return NULL;
    }
#ifdef Py_GIL_DISABLED
    PyUnstable_Module_SetGIL(made, Py_MOD_GIL_NOT_USED); /* nothing in a Quick changes */
#endif
    return made;
}
