"""A finger tree (Hinze and Paterson 2006): its functions use themselves at ever larger types."""

FINGERS = """
@data
class Digit(Generic[T]):
    One: T
    Two: (T, T)
    Three: (T, T, T)
    Four: (T, T, T, T)

@data
class Some(Generic[T]):
    Pair: (T, T)
    Triple: (T, T, T)

@data
class Finger(Generic[T]):
    Empty: ()
    Single: T
    Deep: (Digit[T], "Finger[Some[T]]", Digit[T])

@data
class Front(Generic[T]):
    Nothing: ()
    First: (T, Finger[T])

@fun
def push(x: T, t: Finger[T]) -> Finger[T]:
    match t:
        case Empty():
            return Single(x)
        case Single(y):
            return Deep(One(x), Empty, One(y))
        case Deep(One(a), m, r):
            return Deep(Two(x, a), m, r)
        case Deep(Two(a, b), m, r):
            return Deep(Three(x, a, b), m, r)
        case Deep(Three(a, b, c), m, r):
            return Deep(Four(x, a, b, c), m, r)
        case Deep(Four(a, b, c, d), m, r):
            return Deep(Two(x, a), push(Triple(b, c, d), m), r)

@fun
def append(t: Finger[T], x: T) -> Finger[T]:
    match t:
        case Empty():
            return Single(x)
        case Single(y):
            return Deep(One(y), Empty, One(x))
        case Deep(l, m, One(a)):
            return Deep(l, m, Two(a, x))
        case Deep(l, m, Two(a, b)):
            return Deep(l, m, Three(a, b, x))
        case Deep(l, m, Three(a, b, c)):
            return Deep(l, m, Four(a, b, c, x))
        case Deep(l, m, Four(a, b, c, d)):
            return Deep(l, append(m, Triple(a, b, c)), Two(d, x))

@fun
def of_some(s: Some[T]) -> Digit[T]:
    match s:
        case Pair(a, b):
            return Two(a, b)
        case Triple(a, b, c):
            return Three(a, b, c)

@fun
def of_digit(d: Digit[T]) -> Finger[T]:
    match d:
        case One(a):
            return Single(a)
        case Two(a, b):
            return Deep(One(a), Empty, One(b))
        case Three(a, b, c):
            return Deep(Two(a, b), Empty, One(c))
        case Four(a, b, c, d):
            return Deep(Two(a, b), Empty, Two(c, d))

@fun
def front(t: Finger[T]) -> Front[T]:
    match t:
        case Empty():
            return Nothing
        case Single(x):
            return First(x, Empty)
        case Deep(Two(x, a), m, r):
            return First(x, Deep(One(a), m, r))
        case Deep(Three(x, a, b), m, r):
            return First(x, Deep(Two(a, b), m, r))
        case Deep(Four(x, a, b, c), m, r):
            return First(x, Deep(Three(a, b, c), m, r))
        case Deep(One(x), m, r):
            match front(m):
                case Nothing():
                    return First(x, of_digit(r))
                case First(s, rest):
                    return First(x, Deep(of_some(s), rest, r))

@fun
def digits(d: Digit[T], rest: List[T]) -> List[T]:
    match d:
        case One(a):
            return Cons(a, rest)
        case Two(a, b):
            return Cons(a, Cons(b, rest))
        case Three(a, b, c):
            return Cons(a, Cons(b, Cons(c, rest)))
        case Four(a, b, c, d):
            return Cons(a, Cons(b, Cons(c, Cons(d, rest))))

@fun
def grouped(xs: List[T]) -> List[Some[T]]:
    match xs:
        case Cons(a, Cons(b, Nil())):
            return Cons(Pair(a, b), Nil)
        case Cons(a, Cons(b, Cons(c, Cons(d, Nil())))):
            return Cons(Pair(a, b), Cons(Pair(c, d), Nil))
        case Cons(a, Cons(b, Cons(c, rest))):
            return Cons(Triple(a, b, c), grouped(rest))
        case _:
            return Nil

@fun
def joined(left: Finger[T], middle: List[T], right: Finger[T]) -> Finger[T]:
    match left, right:
        case Deep(a, m, b), Deep(c, n, d):
            return Deep(a, joined(m, grouped(digits(b, concat(middle, digits(c, Nil)))), n), d)
        case Empty(), _:
            return pushed(middle, right)
        case Single(x), _:
            return push(x, pushed(middle, right))
        case _, Empty():
            return appended(left, middle)
        case _, Single(x):
            return append(appended(left, middle), x)

@fun
def concat(xs: List[T], ys: List[T]) -> List[T]:
    match xs:
        case Nil():
            return ys
        case Cons(x, rest):
            return Cons(x, concat(rest, ys))

@fun
def pushed(xs: List[T], t: Finger[T]) -> Finger[T]:
    match xs:
        case Nil():
            return t
        case Cons(x, rest):
            return push(x, pushed(rest, t))

@fun
def appended(t: Finger[T], xs: List[T]) -> Finger[T]:
    for x in xs:
        t = append(t, x)
    return t

@fun
def in_digit(d: Digit[T], start: i64, f: Callable[[i64, T], i64]) -> i64:
    for x in digits(d, Nil):
        start = f(start, x)
    return start

@fun
def in_some(s: Some[T], start: i64, f: Callable[[i64, T], i64]) -> i64:
    match s:
        case Pair(a, b):
            return f(f(start, a), b)
        case Triple(a, b, c):
            return f(f(f(start, a), b), c)

@fun
def folded(t: Finger[T], start: i64, f: Callable[[i64, T], i64]) -> i64:
    match t:
        case Empty():
            return start
        case Single(x):
            return f(start, x)
        case Deep(l, m, r):
            first = in_digit(l, start, f)
            return in_digit(r, folded(m, first, lambda sum, some: in_some(some, sum, f)), f)

@fun
def elements(t: Finger[T]) -> List[T]:
    match front(t):
        case Nothing():
            return Nil
        case First(x, rest):
            return Cons(x, elements(rest))

@fun
def from_to(first: i64, last: i64) -> Finger[i64]:
    t: Finger[i64] = Empty
    middle = (first + last) // 2
    for i in range(middle, last):
        t = append(t, i)
    for i in range(middle - first):
        t = push(middle - 1 - i, t)
    return t

@fun
def shown(xs: List[i64]) -> str:
    text = ""
    for x in xs:
        text += f"{x} "
    return text

@fun
def numbers(n: i64) -> str:
    return shown(elements(from_to(0, n)))

@fun
def concatenated(n: i64) -> str:
    return shown(elements(joined(from_to(0, n), [n, n + 1], from_to(n + 2, 2 * n))))

@fun
def hashed(n: i64) -> i64:
    return folded(from_to(0, n), 7, lambda sum, x: 31 * sum + x)

@fun
def texts(n: i64) -> str:
    t: Finger[tuple[str, f64]] = Empty
    for i in range(n):
        t = push((f"number {i}", f64(i)), t)
        kept = t
        t = append(kept, ("end", 0.5))
    text = ""
    for word, x in elements(t):
        text += f"{word} {x} "
    return text
"""
