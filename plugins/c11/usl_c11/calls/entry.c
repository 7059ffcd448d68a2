/*
 * Calls of compiled procedures from CPython, for NumPy arrays.
 *
 * An Entry checks the arguments of one procedure and calls it. It accepts only what is plainly right; of everything else (a wrong
 * argument, a number of another kind, too large a size) it makes nothing and hands the call on to a function in Python, which knows
 * how to convert or what to say. So each test here may refuse too much, and none may accept too much.
 */

#define PY_SSIZE_T_CLEAN
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#include <Python.h>
#include <math.h>
#include <numpy/ndarraytypes.h>
#include <structmember.h>
#include <stddef.h>
#include <stdint.h>

enum { MAX_FORMALS = 64, MAX_STRIDES = 256, MAX_STACK = 16, BITS_OF_EXACT_INTEGERS = 53 };

/* What a formal takes: an integer, a bool, one element, an array in one piece, an array with any strides. */
enum Kind { INTEGER = 'i', BOOLEAN = 'b', SCALAR = 's', DENSE = 'd', WINDOW = 'w' };

/* An extent is computed on a stack: the steps are pairs of an operation and its operand. */
enum Operation { CONSTANT, CONTROL, NEGATE, ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER, LEAST, GREATEST };

struct step {
    int64_t operation, operand;
};

struct extent {
    Py_ssize_t count;
    struct step *steps;
};

struct formal {
    enum Kind kind;
    int written;
    int64_t least, greatest; /* of an integer, and of a number given for one element */
    PyObject *dtype;
    int shift;  /* binary logarithm of the element's size */
    int number; /* of what a number given for one element becomes: 'f', 'd', 'i', or 0 where that is not taken */
    int rank;
    struct extent *extents;
};

typedef int function(const int64_t *controls, void *const *data, const ptrdiff_t *strides);

typedef struct {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    function *call;
    PyObject *slowly, *refused; /* what does the call otherwise; what explains a status */
    PyObject *names;
    PyObject *array_type, *bool_type;
    int has_context;
    Py_ssize_t count;
    struct formal *formals;
} Entry;

union number {
    double f64;
    float f32;
    int64_t i64;
    int32_t i32;
    int16_t i16;
    int8_t i8;
};

struct arguments {
    int64_t controls[MAX_FORMALS];
    void *data[MAX_FORMALS + 1];
    ptrdiff_t strides[MAX_STRIDES];
    union number numbers[MAX_FORMALS];
    int control_count, data_count, stride_count;
};

/* Floored division, as in the language; the divisor is positive. */
static int64_t floored(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* Whether an extent could be computed. */
static int evaluate(const struct extent *extent, const int64_t *controls, int64_t *result)
{
    int64_t stack[MAX_STACK];
    int top = -1;
    for (Py_ssize_t i = 0; i < extent->count; i++) {
        const struct step step = extent->steps[i];
        if (step.operation == CONSTANT || step.operation == CONTROL) {
            stack[++top] = step.operation == CONSTANT ? step.operand : controls[step.operand];
            continue;
        }
        if (step.operation == NEGATE) {
            if (__builtin_sub_overflow((int64_t)0, stack[top], &stack[top]))
                return 0;
            continue;
        }
        const int64_t b = stack[top--], a = stack[top];
        int failed = 0;
        switch ((enum Operation)step.operation) {
        case ADD:
            failed = __builtin_add_overflow(a, b, &stack[top]);
            break;
        case SUBTRACT:
            failed = __builtin_sub_overflow(a, b, &stack[top]);
            break;
        case MULTIPLY:
            failed = __builtin_mul_overflow(a, b, &stack[top]);
            break;
        case DIVIDE:
        case REMAINDER:
            failed = b <= 0;
            if (!failed)
                stack[top] = step.operation == DIVIDE ? floored(a, b) : a - b * floored(a, b);
            break;
        case LEAST:
            stack[top] = a < b ? a : b;
            break;
        case GREATEST:
            stack[top] = a > b ? a : b;
            break;
        default:
            failed = 1;
        }
        if (failed)
            return 0;
    }
    *result = stack[0];
    return 1;
}

static int take_control(const Entry *self, const struct formal *formal, PyObject *value, int64_t *result)
{
    if (formal->kind == BOOLEAN) {
        *result = value == Py_True;
        return PyBool_Check(value);
    }
    int overflow = 0;
    if (PyLong_CheckExact(value)) {
        *result = PyLong_AsLongLongAndOverflow(value, &overflow);
    } else {
        if (PyBool_Check(value) || (PyObject *)Py_TYPE(value) == self->bool_type || !PyIndex_Check(value))
            return 0;
        PyObject *index = PyNumber_Index(value);
        if (index == NULL)
            return 0;
        *result = PyLong_AsLongLongAndOverflow(index, &overflow);
        Py_DECREF(index);
    }
    return !overflow && formal->least <= *result && *result <= formal->greatest;
}

/* Whether a number may stand for an element that is only read. */
static int take_number(const struct formal *formal, PyObject *value, union number *result)
{
    const int is_float = formal->number == 'f' || formal->number == 'd';
    if (PyFloat_CheckExact(value) && is_float) {
        const double number = PyFloat_AS_DOUBLE(value);
        if (formal->number == 'd')
            result->f64 = number;
        else
            result->f32 = (float)number;
        return formal->number == 'd' || !isinf(result->f32) || isinf(number);
    }
    if (formal->number == 0 || !PyLong_CheckExact(value))
        return 0;
    int overflow = 0;
    const int64_t integer = PyLong_AsLongLongAndOverflow(value, &overflow);
    if (overflow)
        return 0;
    if (is_float) {
        if (integer >> BITS_OF_EXACT_INTEGERS != integer >> 63)
            return 0;
        if (formal->number == 'd')
            result->f64 = (double)integer;
        else
            result->f32 = (float)integer;
        return 1;
    }
    if (integer < formal->least || integer > formal->greatest)
        return 0;
    switch (formal->shift) {
    case 0:
        result->i8 = (int8_t)integer;
        return 1;
    case 1:
        result->i16 = (int16_t)integer;
        return 1;
    case 2:
        result->i32 = (int32_t)integer;
        return 1;
    case 3:
        result->i64 = integer;
        return 1;
    default:
        return 0;
    }
}

static int take_shape(const struct formal *formal, PyArrayObject *array, struct arguments *to)
{
    if (PyArray_NDIM(array) != formal->rank)
        return 0;
    for (int d = 0; d < formal->rank; d++) {
        int64_t extent;
        if (!evaluate(&formal->extents[d], to->controls, &extent) || PyArray_DIM(array, d) != extent)
            return 0;
    }
    if (formal->kind == DENSE)
        return PyArray_CHKFLAGS(array, NPY_ARRAY_C_CONTIGUOUS);
    for (int d = 0; d < formal->rank; d++) {
        const npy_intp size = (npy_intp)1 << formal->shift, stride = PyArray_STRIDE(array, d);
        if (stride % size != 0)
            return 0;
        to->strides[to->stride_count++] = stride / size;
    }
    return 1;
}

static int take_data(const Entry *self, const struct formal *formal, PyObject *value, struct arguments *to)
{
    void **place = &to->data[to->data_count++];
    if (!PyObject_TypeCheck(value, (PyTypeObject *)self->array_type)) {
        *place = &to->numbers[to->data_count - 1];
        return formal->kind == SCALAR && !formal->written && take_number(formal, value, *place);
    }
    PyArrayObject *array = (PyArrayObject *)value;
    if ((PyObject *)PyArray_DESCR(array) != formal->dtype || !PyArray_CHKFLAGS(array, NPY_ARRAY_ALIGNED) ||
        (formal->written && !PyArray_CHKFLAGS(array, NPY_ARRAY_WRITEABLE)))
        return 0;
    *place = PyArray_DATA(array);
    if (formal->kind != SCALAR)
        return take_shape(formal, array, to);
    for (int d = 0; d < PyArray_NDIM(array); d++)
        if (PyArray_DIM(array, d) != 1)
            return 0;
    return 1;
}

/* The arguments in the order of the formals; whether each was given once and by a known name. */
static int in_order(const Entry *self, PyObject *const *args, Py_ssize_t count, PyObject *names, PyObject **given)
{
    const Py_ssize_t named = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    if (count + named != self->count)
        return 0;
    for (Py_ssize_t i = 0; i < self->count; i++)
        given[i] = i < count ? args[i] : NULL;
    for (Py_ssize_t k = 0; k < named; k++) {
        Py_ssize_t at = count;
        while (at < self->count && PyTuple_GET_ITEM(self->names, at) != PyTuple_GET_ITEM(names, k))
            at++;
        if (at == self->count || given[at] != NULL)
            return 0;
        given[at] = args[count + k];
    }
    return 1;
}

static int take_all(const Entry *self, PyObject *const *given, struct arguments *to)
{
    to->control_count = to->data_count = to->stride_count = 0;
    if (self->has_context)
        to->data[to->data_count++] = NULL;
    for (Py_ssize_t i = 0; i < self->count; i++) /* all of them first: extents of earlier arrays may mention later ones */
        if ((self->formals[i].kind == INTEGER || self->formals[i].kind == BOOLEAN) &&
            !take_control(self, &self->formals[i], given[i], &to->controls[to->control_count++]))
            return 0;
    for (Py_ssize_t i = 0; i < self->count; i++)
        if (self->formals[i].kind != INTEGER && self->formals[i].kind != BOOLEAN &&
            !take_data(self, &self->formals[i], given[i], to))
            return 0;
    return 1;
}

/* Raises what explains a status: refused(status, *arguments). */
static PyObject *explain(const Entry *self, int status, PyObject *const *given)
{
    PyObject *arguments[MAX_FORMALS + 1] = {PyLong_FromLong(status)};
    if (arguments[0] == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < self->count; i++)
        arguments[i + 1] = given[i];
    PyObject *result = PyObject_Vectorcall(self->refused, arguments, (size_t)self->count + 1, NULL);
    Py_DECREF(arguments[0]);
    return result;
}

static PyObject *entry_vectorcall(PyObject *object, PyObject *const *args, size_t nargsf, PyObject *names)
{
    const Entry *self = (const Entry *)object;
    PyObject *given[MAX_FORMALS];
    struct arguments to;
    if (!in_order(self, args, PyVectorcall_NARGS(nargsf), names, given) || !take_all(self, given, &to)) {
        PyErr_Clear();
        return PyObject_Vectorcall(self->slowly, args, nargsf, names);
    }
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = self->call(to.controls, to.data, to.strides);
    Py_END_ALLOW_THREADS
    if (status != 0)
        return explain(self, status, given);
    Py_RETURN_NONE;
}

/* ---- making one */

static int set_extent(struct extent *extent, PyObject *steps)
{
    const Py_ssize_t count = PyTuple_Size(steps);
    if (count < 0 || (extent->steps = PyMem_Calloc((size_t)count + 1, sizeof *extent->steps)) == NULL)
        return -1;
    extent->count = count;
    for (Py_ssize_t i = 0; i < count; i++) {
        long long operation, operand;
        if (!PyArg_ParseTuple(PyTuple_GET_ITEM(steps, i), "LL", &operation, &operand))
            return -1;
        extent->steps[i] = (struct step){operation, operand};
    }
    return 0;
}

static int set_formal(struct formal *formal, PyObject *given)
{
    int kind, number;
    long long least, greatest;
    PyObject *dtype, *extents;
    if (!PyArg_ParseTuple(given, "CpLLOiCO!", &kind, &formal->written, &least, &greatest, &dtype, &formal->shift, &number,
                          &PyTuple_Type, &extents))
        return -1;
    formal->kind = (enum Kind)kind;
    formal->least = least;
    formal->greatest = greatest;
    formal->number = number == '-' ? 0 : number;
    formal->dtype = Py_NewRef(dtype);
    formal->extents = PyMem_Calloc((size_t)PyTuple_GET_SIZE(extents) + 1, sizeof *formal->extents);
    if (formal->extents == NULL)
        return -1;
    formal->rank = (int)PyTuple_GET_SIZE(extents);
    for (int d = 0; d < formal->rank; d++)
        if (set_extent(&formal->extents[d], PyTuple_GET_ITEM(extents, d)) < 0)
            return -1;
    return 0;
}

static int entry_clear(PyObject *object)
{
    Entry *self = (Entry *)object;
    Py_CLEAR(self->slowly);
    Py_CLEAR(self->refused);
    return 0;
}

static int entry_traverse(PyObject *object, visitproc visit, void *arg)
{
    const Entry *self = (const Entry *)object;
    Py_VISIT(Py_TYPE(object));
    Py_VISIT(self->slowly);
    Py_VISIT(self->refused);
    return 0;
}

static void entry_dealloc(PyObject *object)
{
    Entry *self = (Entry *)object;
    PyTypeObject *type = Py_TYPE(object);
    PyObject_GC_UnTrack(object);
    entry_clear(object);
    for (Py_ssize_t i = 0; i < self->count; i++) {
        struct formal *formal = &self->formals[i];
        for (int d = 0; d < formal->rank; d++)
            PyMem_Free(formal->extents[d].steps);
        PyMem_Free(formal->extents);
        Py_XDECREF(formal->dtype);
    }
    PyMem_Free(self->formals);
    Py_XDECREF(self->names);
    Py_XDECREF(self->array_type);
    Py_XDECREF(self->bool_type);
    type->tp_free(object);
    Py_DECREF(type);
}

/* Entry(address, slowly, refused, names, formals, has_context, array_type, bool_type) */
static PyObject *entry_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    unsigned long long address;
    PyObject *slowly, *refused, *names, *formals, *array_type, *bool_type;
    int has_context;
    if (kwargs != NULL && PyDict_GET_SIZE(kwargs) != 0) {
        PyErr_SetString(PyExc_TypeError, "Entry takes no arguments by name");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "KOOO!O!pOO", &address, &slowly, &refused, &PyTuple_Type, &names, &PyTuple_Type, &formals,
                          &has_context, &array_type, &bool_type))
        return NULL;
    const Py_ssize_t count = PyTuple_GET_SIZE(formals);
    if (count > MAX_FORMALS || PyTuple_GET_SIZE(names) != count || !PyType_Check(array_type)) {
        PyErr_SetString(PyExc_ValueError, "too many formals, or not one name for each");
        return NULL;
    }
    Entry *self = (Entry *)type->tp_alloc(type, 0);
    if (self == NULL)
        return NULL;
    self->vectorcall = entry_vectorcall;
    self->call = (function *)(uintptr_t)address;
    self->slowly = Py_NewRef(slowly);
    self->refused = Py_NewRef(refused);
    self->names = Py_NewRef(names);
    self->array_type = Py_NewRef(array_type);
    self->bool_type = Py_NewRef(bool_type);
    self->has_context = has_context;
    self->formals = PyMem_Calloc((size_t)count + 1, sizeof *self->formals);
    if (self->formals == NULL)
        goto failed;
    self->count = count;
    for (Py_ssize_t i = 0; i < count; i++)
        if (set_formal(&self->formals[i], PyTuple_GET_ITEM(formals, i)) < 0)
            goto failed;
    return (PyObject *)self;
failed:
    Py_DECREF(self);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
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
    .name = "usl_entry.Entry",
    .basicsize = sizeof(Entry),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL,
    .slots = entry_slots,
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, .m_name = "usl_entry", .m_size = -1};

PyMODINIT_FUNC PyInit_usl_entry(void)
{
    PyObject *made = PyModule_Create(&module);
    PyObject *type = made == NULL ? NULL : PyType_FromSpec(&entry_spec);
    if (type == NULL || PyModule_AddObject(made, "Entry", type) < 0) {
        Py_XDECREF(type);
        Py_XDECREF(made);
        return NULL;
    }
#ifdef Py_GIL_DISABLED
    PyUnstable_Module_SetGIL(made, Py_MOD_GIL_NOT_USED); /* nothing in an Entry changes */
#endif
    return made;
}
