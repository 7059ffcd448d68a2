
/* ---- networks */

struct rows {
    PyArrayObject *x;
    int64_t count, length;
};

static int take_rows(PyObject *value, struct rows *to)
{
    to->x = dense_of(value, NPY_FLOAT32, 0);
    if (to->x == NULL)
        return 0;
    to->length = PyArray_DIM(to->x, PyArray_NDIM(to->x) - 1);
    to->count = PyArray_SIZE(to->x) / to->length;
    return 1;
}

/* A vector with an element for each column of x; NULL where it is none. */
static float *beside(const struct rows *rows, PyObject *value)
{
    PyArrayObject *array = dense_of(value, NPY_FLOAT32, 0);
    return array != NULL && PyArray_NDIM(array) == 1 && PyArray_DIM(array, 0) == rows->length ? PyArray_DATA(array) : NULL;
}

/* x, out */
static PyObject *of_rows(const Quick *self, PyObject *const *given)
{
    struct rows rows;
    PyArrayObject *y;
    if (!take_rows(given[0], &rows) || (y = result_like(rows.x, given[1])) == NULL)
        return NULL;
    CALL(softmax, rows.count, rows.length, PyArray_DATA(rows.x), PyArray_DATA(y))
    return finished(self, status, (PyObject *)y);
}

/* x, out */
static PyObject *of_elements(const Quick *self, PyObject *const *given)
{
    PyArrayObject *x = dense_of(given[0], NPY_FLOAT32, 0), *y;
    if (x == NULL || (y = result_like(x, given[1])) == NULL)
        return NULL;
    CALL(silu, PyArray_SIZE(x), PyArray_DATA(x), PyArray_DATA(y))
    return finished(self, status, (PyObject *)y);
}

/* x */
static PyObject *of_each_row(const Quick *self, PyObject *const *given)
{
    struct rows rows;
    if (!take_rows(given[0], &rows))
        return NULL;
    PyArrayObject *y = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(rows.x) - 1, PyArray_DIMS(rows.x), NPY_FLOAT32);
    if (y == NULL)
        return NULL;
    CALL(row_sums, rows.count, rows.length, PyArray_DATA(rows.x), PyArray_DATA(y))
    return finished(self, status, (PyObject *)y);
}

/* x */
static PyObject *of_argmax(const Quick *self, PyObject *const *given)
{
    struct rows rows;
    if (!take_rows(given[0], &rows) || rows.length > INT32_MAX)
        return NULL;
    PyArrayObject *y = (PyArrayObject *)PyArray_SimpleNew(PyArray_NDIM(rows.x) - 1, PyArray_DIMS(rows.x), NPY_INT64);
    if (y == NULL)
        return NULL;
    CALL(argmax, rows.count, rows.length, PyArray_DATA(rows.x), PyArray_DATA(y))
    return finished(self, status, (PyObject *)y);
}

/* x, weight, bias, eps, out */
static PyObject *of_layer_norm(const Quick *self, PyObject *const *given)
{
    struct rows rows;
    float eps, *weight, *bias;
    PyArrayObject *y;
    if (!take_rows(given[0], &rows) || (weight = beside(&rows, given[1])) == NULL || (bias = beside(&rows, given[2])) == NULL ||
        !take_float(given[3], 1e-5, &eps) || !(eps >= 0) || (y = result_like(rows.x, given[4])) == NULL)
        return NULL;
    if (!apart(y, (PyArrayObject *)given[1]) || !apart(y, (PyArrayObject *)given[2])) {
        Py_DECREF(y);
        return NULL;
    }
    CALL(layer_norm, rows.count, rows.length, &eps, PyArray_DATA(rows.x), weight, bias, PyArray_DATA(y))
    return finished(self, status, (PyObject *)y);
}

/* x, weight, eps, out */
static PyObject *of_rms_norm(const Quick *self, PyObject *const *given)
{
    struct rows rows;
    float eps, *weight;
    PyArrayObject *y;
    if (!take_rows(given[0], &rows) || (weight = beside(&rows, given[1])) == NULL || !take_float(given[2], 1e-6, &eps) ||
        !(eps >= 0) || (y = result_like(rows.x, given[3])) == NULL)
        return NULL;
    if (!apart(y, (PyArrayObject *)given[1])) {
        Py_DECREF(y);
        return NULL;
    }
    CALL(rms_norm, rows.count, rows.length, &eps, PyArray_DATA(rows.x), weight, PyArray_DATA(y))
    return finished(self, status, (PyObject *)y);
}

/* x, target */
static PyObject *of_cross_entropy(const Quick *self, PyObject *const *given)
{
    struct rows rows;
    PyArrayObject *target = dense_of(given[1], NPY_INT64, 0);
    if (!take_rows(given[0], &rows) || PyArray_NDIM(rows.x) != 2 || target == NULL || PyArray_NDIM(target) != 1 ||
        PyArray_DIM(target, 0) != rows.count)
        return NULL;
    const int64_t *columns = PyArray_DATA(target);
    for (int64_t i = 0; i < rows.count; i++)
        if (columns[i] < 0 || columns[i] >= rows.length)
            return NULL;
    PyArrayObject *y = (PyArrayObject *)PyArray_SimpleNew(1, PyArray_DIMS(rows.x), NPY_FLOAT32);
    if (y == NULL)
        return NULL;
    CALL(cross_entropy, rows.count, rows.length, PyArray_DATA(rows.x), columns, PyArray_DATA(y))
    return finished(self, status, (PyObject *)y);
}

/* keep, x */
static PyObject *of_compress(const Quick *self, PyObject *const *given)
{
    PyArrayObject *keep = dense_of(given[0], NPY_BOOL, 0), *x = dense_of(given[1], NPY_FLOAT32, 0);
    if (keep == NULL || x == NULL || PyArray_NDIM(x) != 1 || !same_shape(keep, x))
        return NULL;
    PyArrayObject *y = (PyArrayObject *)PyArray_SimpleNew(1, PyArray_DIMS(x), NPY_FLOAT32); /* room for all */
    if (y == NULL)
        return NULL;
    int64_t count = 0;
    CALL(compress, PyArray_SIZE(x), PyArray_DATA(x), PyArray_DATA(keep), PyArray_DATA(y), &count)
    PyArray_Dims kept = {(npy_intp[]){count}, 1};
    PyObject *none = status == 0 ? PyArray_Resize(y, &kept, 0, NPY_CORDER) : NONE;
    if (none == NULL) {
        Py_DECREF(y);
        return NULL;
    }
    Py_DECREF(none);
    return finished(self, status, (PyObject *)y);
}

/* x, size, stride, padding, channels_last, out */
static PyObject *of_pooling(const Quick *self, PyObject *const *given)
{
    PyArrayObject *x = dense_of(given[0], NPY_FLOAT32, 0), *y;
    int size, step, border = 0, last;
    if (x == NULL || PyArray_NDIM(x) != 4 || given[1] == NULL || !take_integer(given[1], 1, INT_MAX, 1, &size) ||
        !take_integer(given[2] == Py_None ? NULL : given[2], 1, INT_MAX, size, &step) ||
        !take_integer(given[3], 0, INT_MAX, 0, &border) || !take_option(given[4], &last) || border > size / 2)
        return NULL;
    if (size > 255 || step > 255)
        return NULL;
    void *kernel = kernel_numbered(self, ((size * 256L + step) * 256 + border) * 2 + last);
    const npy_intp *extents = PyArray_DIMS(x), *image = extents + (last ? 1 : 2);
    const npy_intp height = image[0] + 2 * border, width = image[1] + 2 * border;
    if (kernel == NULL || height < size || width < size)
        return NULL;
    const npy_intp down = (height - size) / step + 1, along = (width - size) / step + 1;
    const npy_intp shape[] = {extents[0], last ? down : extents[1], last ? along : down, last ? extents[3] : along};
    if ((y = result_of(x, shape, given[5])) == NULL)
        return NULL;
    int status;
    Py_BEGIN_ALLOW_THREADS
    if (last)
        status = ((pool_channels_last *)kernel)(extents[0], image[0], image[1], extents[3], PyArray_DATA(x), PyArray_DATA(y));
    else
        status = ((pool *)kernel)(extents[0] * extents[1], image[0], image[1], PyArray_DATA(x), PyArray_DATA(y));
    Py_END_ALLOW_THREADS
    return finished(self, status, (PyObject *)y);
}

/* What attention is for queries, keys and values of these sizes; the numbers of kernels. */
enum { ATTENTION, CAUSAL_ATTENTION, ATTENTION_OF_FEW, ATTENTION_BY_ROWS, CAUSAL_ATTENTION_BY_ROWS };

/* q, k, v, causal, scale, out */
static PyObject *of_attention(const Quick *self, PyObject *const *given)
{
    PyArrayObject *q = dense_of(given[0], NPY_FLOAT32, 0), *k = dense_of(given[1], NPY_FLOAT32, 0);
    PyArrayObject *v = dense_of(given[2], NPY_FLOAT32, 0), *y;
    const int last = q == NULL ? 0 : PyArray_NDIM(q) - 1;
    if (last < 1 || k == NULL || v == NULL || PyArray_NDIM(k) != last + 1 || !same_shape(k, v) ||
        memcmp(PyArray_DIMS(q), PyArray_DIMS(k), (size_t)(last - 1) * sizeof(npy_intp)) != 0)
        return NULL;
    const int64_t m = PyArray_DIM(q, last - 1), n = PyArray_DIM(k, last - 1), d = PyArray_DIM(q, last), heads = PyArray_SIZE(q) / (m * d);
    int causal;
    float scale;
    if (PyArray_DIM(k, last) != d || !take_option(given[3], &causal) || (causal && m > n) ||
        !take_float(given[4] == Py_None ? NULL : given[4], 1 / sqrt((double)d), &scale))
        return NULL;
    const int whole = d == 64 && n % 64 == 0;
    int number = causal ? CAUSAL_ATTENTION_BY_ROWS : ATTENTION_BY_ROWS;
    if (whole && causal && m == n)
        number = CAUSAL_ATTENTION;
    else if (!causal && d == 64)
        number = whole && m >= 6 ? ATTENTION : ATTENTION_OF_FEW;
    void *kernel = kernel_numbered(self, number);
    if (kernel == NULL || (y = result_like(q, given[5])) == NULL)
        return NULL;
    if (!apart(y, k) || !apart(y, v)) {
        Py_DECREF(y);
        return NULL;
    }
    const float *from = PyArray_DATA(q), *keys = PyArray_DATA(k), *values = PyArray_DATA(v);
    int status;
    Py_BEGIN_ALLOW_THREADS
    if (number == CAUSAL_ATTENTION)
        status = ((causal_attention *)kernel)(heads, n / 64, &scale, from, keys, values, PyArray_DATA(y));
    else if (number == ATTENTION || number == ATTENTION_OF_FEW)
        status = ((attention *)kernel)(heads, m, n, &scale, from, keys, values, PyArray_DATA(y));
    else
        status = ((attention_by_rows *)kernel)(heads, m, n, d, &scale, from, keys, values, PyArray_DATA(y));
    Py_END_ALLOW_THREADS
    return finished(self, status, (PyObject *)y);
}

/* ---- products of short types with packed weights */

/* The attributes of the class Packed, by their names, which are interned. */
static PyObject *KIND, *ROWS, *COLUMNS, *PANELS, *SUMS;

static int take_count(PyObject *value, int64_t *to)
{
    int overflow = 1;
    if (value != NULL && PyLong_CheckExact(value))
        *to = PyLong_AsLongLongAndOverflow(value, &overflow);
    return !overflow && *to > 0;
}

struct packed {
    void *kernel;
    PyObject *kind, *rows, *columns, *panels, *sums; /* references */
    int64_t k, n;
};

/* The parts of B, where it is packed as this kind of product wants it, whose panels have elements of this type. */
static int take_packed(const Quick *self, PyObject *value, const char *kind, int type, struct packed *to)
{
    if (value == NULL || (to->kernel = kernel_of(self, (PyObject *)Py_TYPE(value))) == NULL)
        return 0;
    return (to->kind = PyObject_GetAttr(value, KIND)) != NULL && PyUnicode_CheckExact(to->kind) &&
           PyUnicode_CompareWithASCIIString(to->kind, kind) == 0 && take_count(to->rows = PyObject_GetAttr(value, ROWS), &to->k) &&
           take_count(to->columns = PyObject_GetAttr(value, COLUMNS), &to->n) &&
           dense_of(to->panels = PyObject_GetAttr(value, PANELS), type, 0) != NULL &&
           (to->sums = PyObject_GetAttr(value, SUMS)) != NULL;
}

static void release(struct packed *packed)
{
    Py_XDECREF(packed->kind);
    Py_XDECREF(packed->rows);
    Py_XDECREF(packed->columns);
    Py_XDECREF(packed->panels);
    Py_XDECREF(packed->sums);
}

/* Whether there is the sum of each column. */
static int are_sums(const struct packed *packed)
{
    PyArrayObject *sums = dense_of(packed->sums, NPY_INT32, 0);
    return sums != NULL && PyArray_SIZE(sums) == packed->n;
}

/* The bytes from the first element of a matrix to the last. */
static npy_intp extent_of(const struct matrix *a, npy_intp size)
{
    return ((a->rows - 1) * a->distance + a->columns) * size;
}

/* A, B, C */
static PyObject *of_short(const Quick *self, PyObject *const *given, const char *kind, int a, int b, int c)
{
    struct matrix A, C;
    if (!take_matrix(given[0], a, 0, 0, &A) || !take_matrix(given[2], c, 1, 0, &C) || A.turned || C.turned || A.rows != C.rows)
        return NULL;
    struct packed B = {0};
    PyObject *result = NULL;
    if (take_packed(self, given[1], kind, b, &B) && B.k == A.columns && B.n == C.columns && (a != NPY_INT8 || are_sums(&B))) {
        PyArrayObject *panels = (PyArrayObject *)B.panels;
        const npy_intp bytes = extent_of(&C, PyArray_ITEMSIZE((PyArrayObject *)given[2]));
        if (bytes_apart(C.data, bytes, A.data, extent_of(&A, PyArray_ITEMSIZE((PyArrayObject *)given[0]))) &&
            bytes_apart(C.data, bytes, PyArray_DATA(panels), PyArray_NBYTES(panels))) {
            int status;
            Py_BEGIN_ALLOW_THREADS
            if (c == NPY_FLOAT32)
                status = ((usl_gemm_bf16f32 *)B.kernel)(A.rows, B.n, B.k, A.data, A.distance, PyArray_DATA(panels), C.data, C.distance);
            else if (a == NPY_INT16)
                status = ((usl_gemm_s16s16s32 *)B.kernel)(A.rows, B.n, B.k, A.data, A.distance, PyArray_DATA(panels), C.data, C.distance);
            else if (a == NPY_UINT8)
                status = ((usl_gemm_u8s8s32 *)B.kernel)(A.rows, B.n, B.k, A.data, A.distance, PyArray_DATA(panels), C.data, C.distance);
            else
                status = ((usl_gemm_s8s8s32 *)B.kernel)(A.rows, B.n, B.k, A.data, A.distance, PyArray_DATA(panels),
                                                        PyArray_DATA((PyArrayObject *)B.sums), C.data, C.distance);
            Py_END_ALLOW_THREADS
            result = finished(self, status, NONE);
        }
    }
    release(&B);
    return result;
}

static PyObject *of_u8s8(const Quick *self, PyObject *const *given)
{
    return of_short(self, given, "u8s8", NPY_UINT8, NPY_INT8, NPY_INT32);
}

static PyObject *of_s8s8(const Quick *self, PyObject *const *given)
{
    return of_short(self, given, "u8s8", NPY_INT8, NPY_INT8, NPY_INT32);
}

static PyObject *of_s16s16(const Quick *self, PyObject *const *given)
{
    return of_short(self, given, "s16s16", NPY_INT16, NPY_INT16, NPY_INT32);
}

static PyObject *of_bf16(const Quick *self, PyObject *const *given)
{
    return of_short(self, given, "bf16", NPY_UINT16, NPY_UINT16, NPY_FLOAT32);
}
