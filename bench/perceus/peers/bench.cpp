// The programs of bench/perceus/programs.py in C++: std::map for rbtree; deriv, nqueens and cfold build the same structures
// and never free them; tmap and list_map change the structure in place, list_map_shared copies it. bench NAME SIZE [TIMES]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>

namespace {

template <typename Key> int64_t count_true(const std::map<Key, bool> &tree)
{
    int64_t count = 0;
    for (const auto &entry : tree)
        count += entry.second;
    return count;
}

template <typename Key> int64_t rbtree(int64_t n)
{
    std::map<Key, bool> tree;
    for (int64_t key = n - 1; key >= 0; key--)
        tree[static_cast<Key>(key)] = key % 10 == 0;
    return count_true(tree);
}

int64_t rbtree_random(int64_t n)
{
    std::map<int64_t, bool> tree;
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const auto key = static_cast<int64_t>(state >> 20 & ((uint64_t{1} << 43) - 1));
        tree[key] = key % 10 == 0;
    }
    return count_true(tree);
}

struct Term {
    enum Tag { Val, Var, Add, Mul, Pow, Ln } tag;
    union {
        int64_t number;
        const char *name;
        const Term *left;
    };
    const Term *right;
};
using T = const Term *;

struct Leaf {
    Term::Tag tag;
    union {
        int64_t number;
        const char *name;
        const Term *left;
    };
};

T val(int64_t n)
{
    auto *leaf = new Leaf;
    leaf->tag = Term::Val;
    leaf->number = n;
    return reinterpret_cast<T>(leaf);
}

T unary(Term::Tag tag, T a)
{
    auto *leaf = new Leaf;
    leaf->tag = tag;
    leaf->left = a;
    return reinterpret_cast<T>(leaf);
}

T binary(Term::Tag tag, T a, T b)
{
    auto *term = new Term;
    term->tag = tag;
    term->left = a;
    term->right = b;
    return term;
}

bool is(T a, int64_t n)
{
    return a->tag == Term::Val && a->number == n;
}

bool leads(T a, Term::Tag tag)
{
    return a->tag == tag && a->left->tag == Term::Val;
}

int64_t power(int64_t base, int64_t exponent)
{
    if (exponent <= 0)
        return 1;
    const int64_t half = power(base, exponent / 2);
    return exponent % 2 == 0 ? half * half : half * half * base;
}

T add(T a, T b)
{
    if (a->tag == Term::Val && b->tag == Term::Val)
        return val(a->number + b->number);
    if (is(a, 0))
        return b;
    if (is(b, 0))
        return a;
    if (b->tag == Term::Val)
        return add(b, a);
    if (a->tag == Term::Val && leads(b, Term::Add))
        return add(val(a->number + b->left->number), b->right);
    if (leads(b, Term::Add))
        return add(b->left, add(a, b->right));
    if (a->tag == Term::Add)
        return add(a->left, add(a->right, b));
    return binary(Term::Add, a, b);
}

T mul(T a, T b)
{
    if (a->tag == Term::Val && b->tag == Term::Val)
        return val(a->number * b->number);
    if (is(a, 0) || is(b, 0))
        return val(0);
    if (is(a, 1))
        return b;
    if (is(b, 1))
        return a;
    if (b->tag == Term::Val)
        return mul(b, a);
    if (a->tag == Term::Val && leads(b, Term::Mul))
        return mul(val(a->number * b->left->number), b->right);
    if (leads(b, Term::Mul))
        return mul(b->left, mul(a, b->right));
    if (a->tag == Term::Mul)
        return mul(a->left, mul(a->right, b));
    return binary(Term::Mul, a, b);
}

T pow(T a, T b)
{
    if (a->tag == Term::Val && b->tag == Term::Val && b->number >= 0)
        return val(power(a->number, b->number));
    if (is(b, 0))
        return val(1);
    if (is(b, 1))
        return a;
    if (is(a, 0))
        return val(0);
    return binary(Term::Pow, a, b);
}

T ln(T a)
{
    return is(a, 1) ? val(0) : unary(Term::Ln, a);
}

T derivative(const char *x, T f)
{
    switch (f->tag) {
    case Term::Val:
        return val(0);
    case Term::Var:
        return val(std::strcmp(x, f->name) == 0 ? 1 : 0);
    case Term::Add: {
        T a = derivative(x, f->left);
        return add(a, derivative(x, f->right));
    }
    case Term::Mul: {
        T a = mul(f->left, derivative(x, f->right));
        return add(a, mul(f->right, derivative(x, f->left)));
    }
    case Term::Pow: {
        T inner = mul(mul(f->right, derivative(x, f->left)), pow(f->left, val(-1)));
        T whole = pow(f->left, f->right);
        return mul(whole, add(inner, mul(ln(f->left), derivative(x, f->right))));
    }
    case Term::Ln:
        break;
    }
    T a = derivative(x, f->left);
    return mul(a, pow(f->left, val(-1)));
}

int64_t nodes(T f)
{
    switch (f->tag) {
    case Term::Val:
    case Term::Var:
        return 1;
    case Term::Ln:
        return nodes(f->left);
    default:
        return nodes(f->left) + nodes(f->right);
    }
}

int64_t deriv(int64_t times)
{
    auto *x = new Leaf;
    x->tag = Term::Var;
    x->name = "x";
    T f = pow(reinterpret_cast<T>(x), reinterpret_cast<T>(x));
    int64_t total = 0;
    for (; times > 0; times--) {
        f = derivative("x", f);
        total += nodes(f);
    }
    return total;
}

template <class E> struct List {
    E head;
    const List *tail;
};
using Board = List<int64_t>;
using Boards = List<const Board *>;

bool safe(int64_t queen, const Board *placed)
{
    for (int64_t distance = 1; placed != nullptr; placed = placed->tail, distance++) {
        const int64_t q = placed->head;
        if (queen == q || queen == q + distance || queen == q - distance)
            return false;
    }
    return true;
}

int64_t nqueens(int64_t n)
{
    const Boards *boards = new Boards{nullptr, nullptr};
    for (int64_t row = 0; row < n; row++) {
        const Boards *found = nullptr;
        for (; boards != nullptr; boards = boards->tail)
            for (int64_t queen = n; queen > 0; queen--)
                if (safe(queen, boards->head))
                    found = new Boards{new Board{queen, boards->head}, found};
        boards = found;
    }
    int64_t count = 0;
    for (; boards != nullptr; boards = boards->tail)
        count++;
    return count;
}

struct Expr {
    enum Tag { Variable, Number, Plus, Times } tag;
    union {
        int64_t number;
        const Expr *left;
    };
    const Expr *right;
};
using E = const Expr *;

struct Constant {
    Expr::Tag tag;
    int64_t number;
};

E constant(Expr::Tag tag, int64_t n)
{
    return reinterpret_cast<E>(new Constant{tag, n});
}

E node(Expr::Tag tag, E a, E b)
{
    auto *expr = new Expr;
    expr->tag = tag;
    expr->left = a;
    expr->right = b;
    return expr;
}

E tower(int64_t depth, int64_t v)
{
    if (depth == 0)
        return v == 0 ? constant(Expr::Variable, 1) : constant(Expr::Number, v);
    E a = tower(depth - 1, v + 1);
    return node(Expr::Plus, a, tower(depth - 1, v == 0 ? 0 : v - 1));
}

E at_end(Expr::Tag tag, E a, E b)
{
    return a->tag == tag ? node(tag, a->left, at_end(tag, a->right, b)) : node(tag, a, b);
}

E reassociated(E e)
{
    if (e->tag < Expr::Plus)
        return e;
    E a = reassociated(e->left);
    return at_end(e->tag, a, reassociated(e->right));
}

E folded(E e)
{
    if (e->tag < Expr::Plus)
        return e;
    E f = folded(e->left), g = folded(e->right);
    const bool sum = e->tag == Expr::Plus;
    if (f->tag == Expr::Number) {
        if (g->tag == Expr::Number)
            return constant(Expr::Number, sum ? f->number + g->number : f->number * g->number);
        if (g->tag == e->tag && g->right->tag == Expr::Number) {
            const int64_t n = g->right->number;
            E h = constant(Expr::Number, sum ? f->number + n : f->number * n);
            return sum ? node(e->tag, h, g->left) : node(e->tag, g->left, h);
        }
        if (g->tag == e->tag && g->left->tag == Expr::Number) {
            const int64_t n = g->left->number;
            return node(e->tag, constant(Expr::Number, sum ? f->number + n : f->number * n), g->right);
        }
    }
    return node(e->tag, f, g);
}

int64_t value(E e)
{
    switch (e->tag) {
    case Expr::Variable:
        return 0;
    case Expr::Number:
        return e->number;
    case Expr::Plus:
        return value(e->left) + value(e->right);
    case Expr::Times:
        break;
    }
    return value(e->left) * value(e->right);
}

struct Bin {
    Bin *left;
    int64_t number;
    Bin *right;
};

Bin *balanced(int64_t low, int64_t high)
{
    if (low >= high)
        return nullptr;
    const int64_t middle = (low + high) / 2;
    Bin *left = balanced(low, middle);
    return new Bin{left, middle, balanced(middle + 1, high)};
}

void map_tree(Bin *t)
{
    for (; t != nullptr; t = t->right) {
        map_tree(t->left);
        t->number++;
    }
}

int64_t total(const Bin *t)
{
    return t == nullptr ? 0 : total(t->left) + t->number + total(t->right);
}

int64_t tmap(int64_t size, int64_t times)
{
    Bin *t = balanced(0, size);
    for (int64_t i = 0; i < times; i++)
        map_tree(t);
    return total(t);
}

struct Cell {
    int64_t head;
    Cell *tail;
};

Cell *count_down(int64_t n)
{
    Cell *list = nullptr;
    for (; n > 0; n--)
        list = new Cell{n, list};
    return list;
}

int64_t list_map(int64_t size, int64_t times)
{
    Cell *list = count_down(size);
    for (int64_t i = 0; i < times; i++)
        for (Cell *cell = list; cell != nullptr; cell = cell->tail)
            cell->head++;
    int64_t sum = 0;
    for (const Cell *cell = list; cell != nullptr; cell = cell->tail)
        sum += cell->head;
    return sum;
}

int64_t list_map_shared(int64_t size, int64_t times)
{
    const Cell *list = count_down(size);
    int64_t result = 0;
    for (int64_t i = 0; i < times; i++) {
        Cell *copy = nullptr, **end = &copy;
        for (const Cell *cell = list; cell != nullptr; cell = cell->tail) {
            *end = new Cell{cell->head + 1, nullptr};
            end = &(*end)->tail;
        }
        result += copy->head;
        while (copy != nullptr) {
            Cell *next = copy->tail;
            delete copy;
            copy = next;
        }
    }
    return result;
}

} // namespace

// -- maps from random numbers, and from words to how often they come

template <class M> static int64_t numbers(int64_t n)
{
    M m;
    uint64_t key = 1;
    int64_t sum = 0;
    const auto found = [&m](uint64_t k, int64_t otherwise) {
        const auto at = m.find(static_cast<int64_t>(k));
        return at == m.end() ? otherwise : at->second;
    };
    for (int64_t i = 0; i < n; i++) {
        key = key * 6364136223846793005u + 1442695040888963407u;
        m[static_cast<int64_t>(key)] = i;
    }
    key = 1;
    for (int64_t i = 0; i < n; i++) {
        key = key * 6364136223846793005u + 1442695040888963407u;
        sum += found(key, 0) + found(key + 1, 1);
    }
    return sum;
}

static int64_t hash_words(int64_t n)
{
    std::unordered_map<std::string, int64_t> m;
    uint64_t state = 1;
    for (int64_t i = 0; i < n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        m["word" + std::to_string((state >> 40) & 65535)]++;
    }
    auto sum = static_cast<int64_t>(m.size());
    for (const auto &[word, often] : m)
        sum += often * often * static_cast<int64_t>(word.size());
    return sum;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const int64_t size = argc > 2 ? std::atoll(argv[2]) : 0, times = argc > 3 ? std::atoll(argv[3]) : 1;
    const auto named = [name](const char *other) { return std::strcmp(name, other) == 0; };
    int64_t result = -1;
    if (named("rbtree"))
        result = rbtree<int32_t>(size);
    else if (named("rbtree_i64"))
        result = rbtree<int64_t>(size);
    else if (named("rbtree_random"))
        result = rbtree_random(size);
    else if (named("hash_numbers"))
        result = numbers<std::unordered_map<int64_t, int64_t>>(size);
    else if (named("tree_numbers"))
        result = numbers<std::map<int64_t, int64_t>>(size);
    else if (named("hash_words"))
        result = hash_words(size);
    else if (named("deriv"))
        result = deriv(size);
    else if (named("nqueens"))
        result = nqueens(size);
    else if (named("cfold"))
        result = value(folded(reassociated(tower(size, 1))));
    else if (named("tmap_fbip") || named("tmap_plain"))
        result = tmap(size, times);
    else if (named("list_map"))
        result = list_map(size, times);
    else if (named("list_map_shared"))
        result = list_map_shared(size, times);
    else
        return 2;
    std::printf("%lld\n", static_cast<long long>(result));
    return 0;
}
