(* The programs of bench/perceus/programs.py in OCaml: bench NAME SIZE [TIMES]. *)

type color = Red | Black
type tree = Leaf | Node of color * tree * int * bool * tree

let is_red = function Node (Red, _, _, _, _) -> true | _ -> false

let bal_left l k v r =
  match l with
  | Node (_, Node (Red, lx, kx, vx, rx), ky, vy, ry) -> Node (Red, Node (Black, lx, kx, vx, rx), ky, vy, Node (Black, ry, k, v, r))
  | Node (_, ly, ky, vy, Node (Red, lx, kx, vx, rx)) -> Node (Red, Node (Black, ly, ky, vy, lx), kx, vx, Node (Black, rx, k, v, r))
  | Node (_, lx, kx, vx, rx) -> Node (Black, Node (Red, lx, kx, vx, rx), k, v, r)
  | Leaf -> Leaf

let bal_right l k v r =
  match r with
  | Node (_, Node (Red, lx, kx, vx, rx), ky, vy, ry) -> Node (Red, Node (Black, l, k, v, lx), kx, vx, Node (Black, rx, ky, vy, ry))
  | Node (_, lx, kx, vx, Node (Red, ly, ky, vy, ry)) -> Node (Red, Node (Black, l, k, v, lx), kx, vx, Node (Black, ly, ky, vy, ry))
  | Node (_, lx, kx, vx, rx) -> Node (Black, l, k, v, Node (Red, lx, kx, vx, rx))
  | Leaf -> Leaf

let rec ins t (k : int) v =
  match t with
  | Leaf -> Node (Red, Leaf, k, v, Leaf)
  | Node (Red, l, kx, vx, r) ->
    if k < kx then Node (Red, ins l k v, kx, vx, r)
    else if k > kx then Node (Red, l, kx, vx, ins r k v)
    else Node (Red, l, k, v, r)
  | Node (Black, l, kx, vx, r) ->
    if k < kx then if is_red l then bal_left (ins l k v) kx vx r else Node (Black, ins l k v, kx, vx, r)
    else if k > kx then if is_red r then bal_right l kx vx (ins r k v) else Node (Black, l, kx, vx, ins r k v)
    else Node (Black, l, k, v, r)

let blackened = function Node (_, l, k, v, r) -> Node (Black, l, k, v, r) | Leaf -> Leaf
let insert t k v = if is_red t then blackened (ins t k v) else ins t k v

let rec fold t start f =
  match t with Leaf -> start | Node (_, l, k, v, r) -> fold r (f k v (fold l start f)) f

let count_true t = fold t 0 (fun _ v n -> if v then n + 1 else n)

let rec with_keys_below n t =
  if n <= 0 then t
  else
    let key = n - 1 in
    with_keys_below key (insert t key (key mod 10 = 0))

let rbtree n = count_true (with_keys_below n Leaf)

let rec with_random_keys n state t =
  if n <= 0 then t
  else
    let state = (state * (-2859235813007982803)) + 1442695040888963407 in
    let key = (state lsr 20) land ((1 lsl 43) - 1) in
    with_random_keys (n - 1) state (insert t key (key mod 10 = 0))

let rbtree_random n = count_true (with_random_keys n 1 Leaf)

let rec kept_trees n every t kept =
  if n <= 0 then t :: kept
  else
    let key = n - 1 in
    let grown = insert t key (key mod 10 = 0) in
    kept_trees key every grown (if key mod every = 0 then grown :: kept else kept)

let rbtree_ck n = match kept_trees n 5 Leaf [] with t :: rest -> count_true t + List.length rest | [] -> 0

type term = Val of int | Var of string | Add of term * term | Mul of term * term | Pow of term * term | Ln of term

let rec power base exponent =
  if exponent <= 0 then 1
  else
    let half = power base (exponent / 2) in
    if exponent mod 2 = 0 then half * half else half * half * base

let rec add a b =
  match a, b with
  | Val m, Val n -> Val (m + n)
  | Val 0, f -> f
  | f, Val 0 -> f
  | f, Val n -> add (Val n) f
  | Val m, Add (Val n, g) -> add (Val (m + n)) g
  | f, Add (Val n, g) -> add (Val n) (add f g)
  | Add (f, g), h -> add f (add g h)
  | f, g -> Add (f, g)

let rec mul a b =
  match a, b with
  | Val m, Val n -> Val (m * n)
  | Val 0, _ -> Val 0
  | _, Val 0 -> Val 0
  | Val 1, f -> f
  | f, Val 1 -> f
  | f, Val n -> mul (Val n) f
  | Val m, Mul (Val n, g) -> mul (Val (m * n)) g
  | f, Mul (Val n, g) -> mul (Val n) (mul f g)
  | Mul (f, g), h -> mul f (mul g h)
  | f, g -> Mul (f, g)

let pow a b =
  match a, b with
  | Val m, Val n when n >= 0 -> Val (power m n)
  | _, Val 0 -> Val 1
  | f, Val 1 -> f
  | Val 0, _ -> Val 0
  | f, g -> Pow (f, g)

let ln = function Val 1 -> Val 0 | f -> Ln f

let rec derivative x f =
  match f with
  | Val _ -> Val 0
  | Var y -> if String.equal x y then Val 1 else Val 0
  | Add (a, b) -> add (derivative x a) (derivative x b)
  | Mul (a, b) -> add (mul a (derivative x b)) (mul b (derivative x a))
  | Pow (a, b) ->
    let inner = mul (mul b (derivative x a)) (pow a (Val (-1))) in
    mul (pow a b) (add inner (mul (ln a) (derivative x b)))
  | Ln a -> mul (derivative x a) (pow a (Val (-1)))

let rec nodes = function
  | Val _ | Var _ -> 1
  | Ln a -> nodes a
  | Add (a, b) | Mul (a, b) | Pow (a, b) -> nodes a + nodes b

let rec derived f times total =
  if times <= 0 then total
  else
    let next = derivative "x" f in
    derived next (times - 1) (total + nodes next)

let deriv times =
  let x = Var "x" in
  derived (pow x x) times 0

let rec safe (queen : int) distance = function
  | [] -> true
  | q :: rest -> queen <> q && queen <> q + distance && queen <> q - distance && safe queen (distance + 1) rest

let rec with_queen queen placed found =
  if queen <= 0 then found
  else if safe queen 1 placed then with_queen (queen - 1) placed ((queen :: placed) :: found)
  else with_queen (queen - 1) placed found

let rec extended n found = function
  | [] -> found
  | board :: rest -> extended n (with_queen n board found) rest

let rec boards n rows = if rows = 0 then [ [] ] else extended n [] (boards n (rows - 1))
let nqueens n = List.length (boards n n)

type expr = Variable of int | Number of int | Plus of expr * expr | Times of expr * expr

let rec tower depth v =
  if depth = 0 then if v = 0 then Variable 1 else Number v
  else Plus (tower (depth - 1) (v + 1), tower (depth - 1) (if v = 0 then 0 else v - 1))

let rec plus_at_end a b = match a with Plus (c, d) -> Plus (c, plus_at_end d b) | _ -> Plus (a, b)
let rec times_at_end a b = match a with Times (c, d) -> Times (c, times_at_end d b) | _ -> Times (a, b)

let rec reassociated = function
  | Plus (a, b) -> plus_at_end (reassociated a) (reassociated b)
  | Times (a, b) -> times_at_end (reassociated a) (reassociated b)
  | e -> e

let rec folded = function
  | Plus (a, b) -> (
    match folded a, folded b with
    | Number m, Number n -> Number (m + n)
    | Number m, Plus (f, Number n) -> Plus (Number (m + n), f)
    | Number m, Plus (Number n, f) -> Plus (Number (m + n), f)
    | f, g -> Plus (f, g))
  | Times (a, b) -> (
    match folded a, folded b with
    | Number m, Number n -> Number (m * n)
    | Number m, Times (f, Number n) -> Times (Number (m * n), f)
    | Number m, Times (Number n, f) -> Times (Number (m * n), f)
    | f, g -> Times (f, g))
  | e -> e

let rec value = function
  | Variable _ -> 0
  | Number n -> n
  | Plus (a, b) -> value a + value b
  | Times (a, b) -> value a * value b

let cfold depth = value (folded (reassociated (tower depth 1)))

type bintree = Tip | Bin of bintree * int * bintree
type visitor = Done | BinR of bintree * int * visitor | BinL of bintree * int * visitor
type direction = Up | Down

let rec visit f t visitor d =
  match d with
  | Down -> ( match t with Bin (l, x, r) -> visit f l (BinR (r, x, visitor)) Down | Tip -> visit f Tip visitor Up)
  | Up -> (
    match visitor with
    | Done -> t
    | BinR (r, x, v) -> visit f r (BinL (t, f x, v)) Down
    | BinL (l, x, v) -> visit f (Bin (l, x, t)) v Up)

let rec map_tree t f = match t with Bin (l, x, r) -> Bin (map_tree l f, f x, map_tree r f) | Tip -> Tip

let rec balanced low high =
  if low >= high then Tip
  else
    let middle = (low + high) / 2 in
    Bin (balanced low middle, middle, balanced (middle + 1) high)

let rec total = function Bin (l, x, r) -> total l + x + total r | Tip -> 0
let rec repeat f x times = if times <= 0 then x else repeat f (f x) (times - 1)
let tmap_fbip size times = total (repeat (fun t -> visit (fun x -> x + 1) t Done Down) (balanced 0 size) times)
let tmap_plain size times = total (repeat (fun t -> map_tree t (fun x -> x + 1)) (balanced 0 size) times)
let rec map f = function [] -> [] | x :: rest -> let y = f x in y :: map f rest
let rec count_down n xs = if n <= 0 then xs else count_down (n - 1) (n :: xs)
let rec sum xs n = match xs with [] -> n | x :: rest -> sum rest (n + x)
let list_map size times = sum (repeat (map (fun x -> x + 1)) (count_down size []) times) 0
let first = function [] -> 0 | x :: _ -> x

let list_map_shared size times =
  let xs = count_down size [] in
  let rec go times n = if times <= 0 then n else go (times - 1) (n + first (map (fun x -> x + 1) xs)) in
  go times 0

let () =
  let size = int_of_string Sys.argv.(2) in
  let times = if Array.length Sys.argv > 3 then int_of_string Sys.argv.(3) else 1 in
  let result =
    match Sys.argv.(1) with
    | "rbtree" | "rbtree_i64" -> rbtree size
    | "rbtree_random" -> rbtree_random size
    | "rbtree_ck" -> rbtree_ck size
    | "deriv" -> deriv size
    | "nqueens" -> nqueens size
    | "cfold" -> cfold size
    | "tmap_fbip" -> tmap_fbip size times
    | "tmap_plain" -> tmap_plain size times
    | "list_map" -> list_map size times
    | "list_map_shared" -> list_map_shared size times
    | name -> failwith name
  in
  print_endline (string_of_int result)
