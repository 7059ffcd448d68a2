// The programs of bench/perceus/programs.py in Java: java Bench NAME SIZE [TIMES]
import java.util.function.LongUnaryOperator;

final class Bench {
    // ---- red-black trees

    enum Color { RED, BLACK }

    static final class Node {
        final Color color;
        final Node left;
        final int key;
        final boolean value;
        final Node right;

        Node(Color color, Node left, int key, boolean value, Node right) {
            this.color = color;
            this.left = left;
            this.key = key;
            this.value = value;
            this.right = right;
        }
    }

    static boolean isRed(Node t) {
        return t != null && t.color == Color.RED;
    }

    static Node red(Node l, int k, boolean v, Node r) {
        return new Node(Color.RED, l, k, v, r);
    }

    static Node black(Node l, int k, boolean v, Node r) {
        return new Node(Color.BLACK, l, k, v, r);
    }

    static Node balLeft(Node l, int k, boolean v, Node r) {
        if (l == null) return null;
        Node a = l.left, b = l.right;
        if (isRed(a)) return red(black(a.left, a.key, a.value, a.right), l.key, l.value, black(b, k, v, r));
        if (isRed(b)) return red(black(a, l.key, l.value, b.left), b.key, b.value, black(b.right, k, v, r));
        return black(red(a, l.key, l.value, b), k, v, r);
    }

    static Node balRight(Node l, int k, boolean v, Node r) {
        if (r == null) return null;
        Node a = r.left, b = r.right;
        if (isRed(a)) return red(black(l, k, v, a.left), a.key, a.value, black(a.right, r.key, r.value, b));
        if (isRed(b)) return red(black(l, k, v, a), r.key, r.value, black(b.left, b.key, b.value, b.right));
        return black(l, k, v, red(a, r.key, r.value, b));
    }

    static Node ins(Node t, int k, boolean v) {
        if (t == null) return red(null, k, v, null);
        if (t.color == Color.RED) {
            if (k < t.key) return red(ins(t.left, k, v), t.key, t.value, t.right);
            if (k > t.key) return red(t.left, t.key, t.value, ins(t.right, k, v));
            return red(t.left, k, v, t.right);
        }
        if (k < t.key) {
            Node l = ins(t.left, k, v);
            return isRed(t.left) ? balLeft(l, t.key, t.value, t.right) : black(l, t.key, t.value, t.right);
        }
        if (k > t.key) {
            Node r = ins(t.right, k, v);
            return isRed(t.right) ? balRight(t.left, t.key, t.value, r) : black(t.left, t.key, t.value, r);
        }
        return black(t.left, k, v, t.right);
    }

    static Node insert(Node t, int k, boolean v) {
        Node n = ins(t, k, v);
        return isRed(t) ? black(n.left, n.key, n.value, n.right) : n;
    }

    static long countTrue(Node t) {
        return t == null ? 0 : countTrue(t.left) + (t.value ? 1 : 0) + countTrue(t.right);
    }

    static long rbtree(long n) {
        Node t = null;
        for (int key = (int) n - 1; key >= 0; key--) t = insert(t, key, key % 10 == 0);
        return countTrue(t);
    }

    record Trees(Node head, Trees tail) {}

    static long rbtreeCk(long n) {
        Node t = null;
        Trees kept = null;
        for (int key = (int) n - 1; key >= 0; key--) {
            t = insert(t, key, key % 10 == 0);
            if (key % 5 == 0) kept = new Trees(t, kept);
        }
        long length = 0;
        for (Trees at = kept; at != null; at = at.tail) length++;
        return countTrue(t) + length;
    }

    // ---- derivatives

    static abstract class Term {}

    static final class Val extends Term {
        final long n;
        Val(long n) { this.n = n; }
    }

    static final class Var extends Term {
        final String name;
        Var(String name) { this.name = name; }
    }

    static final class Ln extends Term {
        final Term a;
        Ln(Term a) { this.a = a; }
    }

    static abstract class Binary extends Term {
        final Term a, b;
        Binary(Term a, Term b) { this.a = a; this.b = b; }
    }

    static final class Add extends Binary { Add(Term a, Term b) { super(a, b); } }
    static final class Mul extends Binary { Mul(Term a, Term b) { super(a, b); } }
    static final class Pow extends Binary { Pow(Term a, Term b) { super(a, b); } }

    static long power(long base, long exponent) {
        if (exponent <= 0) return 1;
        long half = power(base, exponent / 2);
        return exponent % 2 == 0 ? half * half : half * half * base;
    }

    static boolean is(Term a, long n) {
        return a instanceof Val v && v.n == n;
    }

    static Term add(Term a, Term b) {
        if (a instanceof Val m && b instanceof Val n) return new Val(m.n + n.n);
        if (is(a, 0)) return b;
        if (is(b, 0)) return a;
        if (b instanceof Val) return add(b, a);
        if (b instanceof Add s && s.a instanceof Val n)
            return a instanceof Val m ? add(new Val(m.n + n.n), s.b) : add(n, add(a, s.b));
        if (a instanceof Add s) return add(s.a, add(s.b, b));
        return new Add(a, b);
    }

    static Term mul(Term a, Term b) {
        if (a instanceof Val m && b instanceof Val n) return new Val(m.n * n.n);
        if (is(a, 0) || is(b, 0)) return new Val(0);
        if (is(a, 1)) return b;
        if (is(b, 1)) return a;
        if (b instanceof Val) return mul(b, a);
        if (b instanceof Mul s && s.a instanceof Val n)
            return a instanceof Val m ? mul(new Val(m.n * n.n), s.b) : mul(n, mul(a, s.b));
        if (a instanceof Mul s) return mul(s.a, mul(s.b, b));
        return new Mul(a, b);
    }

    static Term pow(Term a, Term b) {
        if (a instanceof Val m && b instanceof Val n && n.n >= 0) return new Val(power(m.n, n.n));
        if (is(b, 0)) return new Val(1);
        if (is(b, 1)) return a;
        if (is(a, 0)) return new Val(0);
        return new Pow(a, b);
    }

    static Term ln(Term a) {
        return is(a, 1) ? new Val(0) : new Ln(a);
    }

    static Term derivative(String x, Term f) {
        if (f instanceof Val) return new Val(0);
        if (f instanceof Var y) return new Val(x.equals(y.name) ? 1 : 0);
        if (f instanceof Add s) return add(derivative(x, s.a), derivative(x, s.b));
        if (f instanceof Mul s) return add(mul(s.a, derivative(x, s.b)), mul(s.b, derivative(x, s.a)));
        if (f instanceof Pow s) {
            Term inner = mul(mul(s.b, derivative(x, s.a)), pow(s.a, new Val(-1)));
            return mul(pow(s.a, s.b), add(inner, mul(ln(s.a), derivative(x, s.b))));
        }
        Term a = ((Ln) f).a;
        return mul(derivative(x, a), pow(a, new Val(-1)));
    }

    static long nodes(Term f) {
        if (f instanceof Binary s) return nodes(s.a) + nodes(s.b);
        return f instanceof Ln l ? nodes(l.a) : 1;
    }

    static long deriv(long times) {
        Term x = new Var("x"), f = pow(x, x);
        long total = 0;
        for (; times > 0; times--) {
            f = derivative("x", f);
            total += nodes(f);
        }
        return total;
    }

    // ---- queens

    record Board(long queen, Board rest) {}

    record Boards(Board board, Boards rest) {}

    static boolean safe(long queen, Board placed) {
        for (long distance = 1; placed != null; placed = placed.rest, distance++) {
            long q = placed.queen;
            if (queen == q || queen == q + distance || queen == q - distance) return false;
        }
        return true;
    }

    static long nqueens(long n) {
        Boards boards = new Boards(null, null);
        for (long row = 0; row < n; row++) {
            Boards found = null;
            for (; boards != null; boards = boards.rest)
                for (long queen = n; queen > 0; queen--)
                    if (safe(queen, boards.board)) found = new Boards(new Board(queen, boards.board), found);
            boards = found;
        }
        long count = 0;
        for (; boards != null; boards = boards.rest) count++;
        return count;
    }

    // ---- constant folding

    static abstract class Expr {}

    static final class Variable extends Expr {
        final long n;
        Variable(long n) { this.n = n; }
    }

    static final class Number extends Expr {
        final long n;
        Number(long n) { this.n = n; }
    }

    static final class Plus extends Expr {
        final Expr a, b;
        Plus(Expr a, Expr b) { this.a = a; this.b = b; }
    }

    static final class Times extends Expr {
        final Expr a, b;
        Times(Expr a, Expr b) { this.a = a; this.b = b; }
    }

    static Expr tower(long depth, long v) {
        if (depth == 0) return v == 0 ? new Variable(1) : new Number(v);
        return new Plus(tower(depth - 1, v + 1), tower(depth - 1, v == 0 ? 0 : v - 1));
    }

    static Expr plusAtEnd(Expr a, Expr b) {
        return a instanceof Plus p ? new Plus(p.a, plusAtEnd(p.b, b)) : new Plus(a, b);
    }

    static Expr timesAtEnd(Expr a, Expr b) {
        return a instanceof Times p ? new Times(p.a, timesAtEnd(p.b, b)) : new Times(a, b);
    }

    static Expr reassociated(Expr e) {
        if (e instanceof Plus p) return plusAtEnd(reassociated(p.a), reassociated(p.b));
        if (e instanceof Times p) return timesAtEnd(reassociated(p.a), reassociated(p.b));
        return e;
    }

    static Expr folded(Expr e) {
        if (e instanceof Plus p) {
            Expr f = folded(p.a), g = folded(p.b);
            if (f instanceof Number m) {
                if (g instanceof Number n) return new Number(m.n + n.n);
                if (g instanceof Plus q && q.b instanceof Number n) return new Plus(new Number(m.n + n.n), q.a);
                if (g instanceof Plus q && q.a instanceof Number n) return new Plus(new Number(m.n + n.n), q.b);
            }
            return new Plus(f, g);
        }
        if (e instanceof Times p) {
            Expr f = folded(p.a), g = folded(p.b);
            if (f instanceof Number m) {
                if (g instanceof Number n) return new Number(m.n * n.n);
                if (g instanceof Times q && q.b instanceof Number n) return new Times(new Number(m.n * n.n), q.a);
                if (g instanceof Times q && q.a instanceof Number n) return new Times(new Number(m.n * n.n), q.b);
            }
            return new Times(f, g);
        }
        return e;
    }

    static long value(Expr e) {
        if (e instanceof Number n) return n.n;
        if (e instanceof Plus p) return value(p.a) + value(p.b);
        if (e instanceof Times p) return value(p.a) * value(p.b);
        return 0;
    }

    // ---- trees and lists

    record Bin(Bin left, long number, Bin right) {}

    static abstract class Visitor {}

    static final class BinR extends Visitor {
        final Bin right;
        final long number;
        final Visitor next;
        BinR(Bin right, long number, Visitor next) { this.right = right; this.number = number; this.next = next; }
    }

    static final class BinL extends Visitor {
        final Bin left;
        final long number;
        final Visitor next;
        BinL(Bin left, long number, Visitor next) { this.left = left; this.number = number; this.next = next; }
    }

    static Bin visit(LongUnaryOperator f, Bin t) {
        Visitor visitor = null;
        boolean down = true;
        while (true) {
            if (down) {
                if (t != null) {
                    visitor = new BinR(t.right, t.number, visitor);
                    t = t.left;
                } else {
                    down = false;
                }
            } else if (visitor == null) {
                return t;
            } else if (visitor instanceof BinR r) {
                visitor = new BinL(t, f.applyAsLong(r.number), r.next);
                t = r.right;
                down = true;
            } else {
                BinL l = (BinL) visitor;
                t = new Bin(l.left, l.number, t);
                visitor = l.next;
            }
        }
    }

    static Bin mapTree(LongUnaryOperator f, Bin t) {
        return t == null ? null : new Bin(mapTree(f, t.left), f.applyAsLong(t.number), mapTree(f, t.right));
    }

    static Bin balanced(long low, long high) {
        if (low >= high) return null;
        long middle = (low + high) / 2;
        return new Bin(balanced(low, middle), middle, balanced(middle + 1, high));
    }

    static long total(Bin t) {
        return t == null ? 0 : total(t.left) + t.number + total(t.right);
    }

    static long tmap(boolean fbip, long size, long times) {
        Bin t = balanced(0, size);
        for (; times > 0; times--) t = fbip ? visit(x -> x + 1, t) : mapTree(x -> x + 1, t);
        return total(t);
    }

    static final class Cell {
        final long head;
        Cell tail; // set once, so that map needs no stack
        Cell(long head, Cell tail) { this.head = head; this.tail = tail; }
    }

    static Cell map(LongUnaryOperator f, Cell xs) {
        Cell before = new Cell(0, null), end = before;
        for (; xs != null; xs = xs.tail) {
            end.tail = new Cell(f.applyAsLong(xs.head), null);
            end = end.tail;
        }
        return before.tail;
    }

    static Cell countDown(long n) {
        Cell xs = null;
        for (; n > 0; n--) xs = new Cell(n, xs);
        return xs;
    }

    static long listMap(long size, long times) {
        Cell xs = countDown(size);
        for (; times > 0; times--) xs = map(x -> x + 1, xs);
        long sum = 0;
        for (; xs != null; xs = xs.tail) sum += xs.head;
        return sum;
    }

    static long listMapShared(long size, long times) {
        Cell xs = countDown(size);
        long result = 0;
        for (; times > 0; times--) result += map(x -> x + 1, xs).head;
        return result;
    }

    public static void main(String[] args) {
        long size = Long.parseLong(args[1]), times = args.length > 2 ? Long.parseLong(args[2]) : 1;
        System.out.println(switch (args[0]) {
            case "rbtree" -> rbtree(size);
            case "rbtree_ck" -> rbtreeCk(size);
            case "deriv" -> deriv(size);
            case "nqueens" -> nqueens(size);
            case "cfold" -> value(folded(reassociated(tower(size, 1))));
            case "tmap_fbip" -> tmap(true, size, times);
            case "tmap_plain" -> tmap(false, size, times);
            case "list_map" -> listMap(size, times);
            case "list_map_shared" -> listMapShared(size, times);
            default -> throw new IllegalArgumentException(args[0]);
        });
    }
}
