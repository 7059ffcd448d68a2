{-# LANGUAGE BangPatterns #-}
-- The programs of bench/perceus/programs.py in Haskell, with strict data: bench NAME SIZE [TIMES].
module Main (main) where

import Data.Int (Int64)
import System.Environment (getArgs)

data Color = Red | Black

data Tree = Leaf | Node !Color !Tree !Int64 !Bool !Tree

data List a = Nil | Cons !a !(List a)

size' :: List a -> Int64 -> Int64
size' Nil !n = n
size' (Cons _ rest) n = size' rest (n + 1)

isRed :: Tree -> Bool
isRed (Node Red _ _ _ _) = True
isRed _ = False

balLeft, balRight :: Tree -> Int64 -> Bool -> Tree -> Tree
balLeft (Node _ (Node Red lx kx vx rx) ky vy ry) k v r = Node Red (Node Black lx kx vx rx) ky vy (Node Black ry k v r)
balLeft (Node _ ly ky vy (Node Red lx kx vx rx)) k v r = Node Red (Node Black ly ky vy lx) kx vx (Node Black rx k v r)
balLeft (Node _ lx kx vx rx) k v r = Node Black (Node Red lx kx vx rx) k v r
balLeft Leaf _ _ _ = Leaf
balRight l k v (Node _ (Node Red lx kx vx rx) ky vy ry) = Node Red (Node Black l k v lx) kx vx (Node Black rx ky vy ry)
balRight l k v (Node _ lx kx vx (Node Red ly ky vy ry)) = Node Red (Node Black l k v lx) kx vx (Node Black ly ky vy ry)
balRight l k v (Node _ lx kx vx rx) = Node Black l k v (Node Red lx kx vx rx)
balRight _ _ _ Leaf = Leaf

ins :: Tree -> Int64 -> Bool -> Tree
ins Leaf k v = Node Red Leaf k v Leaf
ins (Node Red l kx vx r) k v
  | k < kx = Node Red (ins l k v) kx vx r
  | k > kx = Node Red l kx vx (ins r k v)
  | otherwise = Node Red l k v r
ins (Node Black l kx vx r) k v
  | k < kx = if isRed l then balLeft (ins l k v) kx vx r else Node Black (ins l k v) kx vx r
  | k > kx = if isRed r then balRight l kx vx (ins r k v) else Node Black l kx vx (ins r k v)
  | otherwise = Node Black l k v r

insert :: Tree -> Int64 -> Bool -> Tree
insert t k v
  | isRed t = case ins t k v of
      Node _ l kx vx r -> Node Black l kx vx r
      Leaf -> Leaf
  | otherwise = ins t k v

fold :: Tree -> a -> (Int64 -> Bool -> a -> a) -> a
fold Leaf !start _ = start
fold (Node _ l k v r) start f = fold r (f k v (fold l start f)) f

countTrue :: Tree -> Int64
countTrue t = fold t 0 (\_ v n -> if v then n + 1 else n)

withKeysBelow :: Int64 -> Tree -> Tree
withKeysBelow n !t
  | n <= 0 = t
  | otherwise = let key = n - 1 in withKeysBelow key (insert t key (key `mod` 10 == 0))

keptTrees :: Int64 -> Int64 -> Tree -> List Tree -> List Tree
keptTrees n every !t !kept
  | n <= 0 = Cons t kept
  | otherwise =
      let key = n - 1
          grown = insert t key (key `mod` 10 == 0)
       in keptTrees key every grown (if key `mod` every == 0 then Cons grown kept else kept)

rbtreeCk :: Int64 -> Int64
rbtreeCk n = case keptTrees n 5 Leaf Nil of
  Cons t rest -> countTrue t + size' rest 0
  Nil -> 0

data Term = Val !Int64 | Var String | Add !Term !Term | Mul !Term !Term | Pow !Term !Term | Ln !Term

power :: Int64 -> Int64 -> Int64
power base e
  | e <= 0 = 1
  | otherwise = let half = power base (e `div` 2) in if even e then half * half else half * half * base

add, mul, pow :: Term -> Term -> Term
add (Val m) (Val n) = Val (m + n)
add (Val 0) f = f
add f (Val 0) = f
add f (Val n) = add (Val n) f
add (Val m) (Add (Val n) g) = add (Val (m + n)) g
add f (Add (Val n) g) = add (Val n) (add f g)
add (Add f g) h = add f (add g h)
add f g = Add f g
mul (Val m) (Val n) = Val (m * n)
mul (Val 0) _ = Val 0
mul _ (Val 0) = Val 0
mul (Val 1) f = f
mul f (Val 1) = f
mul f (Val n) = mul (Val n) f
mul (Val m) (Mul (Val n) g) = mul (Val (m * n)) g
mul f (Mul (Val n) g) = mul (Val n) (mul f g)
mul (Mul f g) h = mul f (mul g h)
mul f g = Mul f g
pow (Val m) (Val n) | n >= 0 = Val (power m n)
pow _ (Val 0) = Val 1
pow f (Val 1) = f
pow (Val 0) _ = Val 0
pow f g = Pow f g

ln :: Term -> Term
ln (Val 1) = Val 0
ln f = Ln f

derivative :: String -> Term -> Term
derivative _ (Val _) = Val 0
derivative x (Var y) = if x == y then Val 1 else Val 0
derivative x (Add a b) = add (derivative x a) (derivative x b)
derivative x (Mul a b) = add (mul a (derivative x b)) (mul b (derivative x a))
derivative x (Pow a b) = mul (pow a b) (add inner (mul (ln a) (derivative x b)))
  where
    !inner = mul (mul b (derivative x a)) (pow a (Val (-1)))
derivative x (Ln a) = mul (derivative x a) (pow a (Val (-1)))

nodes :: Term -> Int64
nodes (Val _) = 1
nodes (Var _) = 1
nodes (Ln a) = nodes a
nodes (Add a b) = nodes a + nodes b
nodes (Mul a b) = nodes a + nodes b
nodes (Pow a b) = nodes a + nodes b

derived :: Term -> Int64 -> Int64 -> Int64
derived !f times !total
  | times <= 0 = total
  | otherwise = let !next = derivative "x" f in derived next (times - 1) (total + nodes next)

deriv :: Int64 -> Int64
deriv times = let x = Var "x" in derived (pow x x) times 0

safe :: Int64 -> Int64 -> List Int64 -> Bool
safe _ _ Nil = True
safe queen distance (Cons q rest) =
  queen /= q && queen /= q + distance && queen /= q - distance && safe queen (distance + 1) rest

withQueen :: Int64 -> List Int64 -> List (List Int64) -> List (List Int64)
withQueen queen placed !found
  | queen <= 0 = found
  | safe queen 1 placed = withQueen (queen - 1) placed (Cons (Cons queen placed) found)
  | otherwise = withQueen (queen - 1) placed found

extended :: Int64 -> List (List Int64) -> List (List Int64) -> List (List Int64)
extended _ !found Nil = found
extended n found (Cons board rest) = extended n (withQueen n board found) rest

boards :: Int64 -> Int64 -> List (List Int64)
boards _ 0 = Cons Nil Nil
boards n rows = extended n Nil (boards n (rows - 1))

data Expr = Variable !Int64 | Number !Int64 | Plus !Expr !Expr | Times !Expr !Expr

tower :: Int64 -> Int64 -> Expr
tower 0 v = if v == 0 then Variable 1 else Number v
tower depth v = Plus (tower (depth - 1) (v + 1)) (tower (depth - 1) (if v == 0 then 0 else v - 1))

plusAtEnd, timesAtEnd :: Expr -> Expr -> Expr
plusAtEnd (Plus c d) b = Plus c (plusAtEnd d b)
plusAtEnd a b = Plus a b
timesAtEnd (Times c d) b = Times c (timesAtEnd d b)
timesAtEnd a b = Times a b

reassociated, folded :: Expr -> Expr
reassociated (Plus a b) = plusAtEnd (reassociated a) (reassociated b)
reassociated (Times a b) = timesAtEnd (reassociated a) (reassociated b)
reassociated e = e
folded (Plus a b) = case (folded a, folded b) of
  (Number m, Number n) -> Number (m + n)
  (Number m, Plus f (Number n)) -> Plus (Number (m + n)) f
  (Number m, Plus (Number n) f) -> Plus (Number (m + n)) f
  (f, g) -> Plus f g
folded (Times a b) = case (folded a, folded b) of
  (Number m, Number n) -> Number (m * n)
  (Number m, Times f (Number n)) -> Times (Number (m * n)) f
  (Number m, Times (Number n) f) -> Times (Number (m * n)) f
  (f, g) -> Times f g
folded e = e

value :: Expr -> Int64
value (Variable _) = 0
value (Number n) = n
value (Plus a b) = value a + value b
value (Times a b) = value a * value b

data BinTree = Tip | Bin !BinTree !Int64 !BinTree

data Visitor = Done | BinR !BinTree !Int64 !Visitor | BinL !BinTree !Int64 !Visitor

data Direction = Up | Down

visit :: (Int64 -> Int64) -> BinTree -> Visitor -> Direction -> BinTree
visit f (Bin l x r) v Down = visit f l (BinR r x v) Down
visit f Tip v Down = visit f Tip v Up
visit _ t Done Up = t
visit f t (BinR r x v) Up = visit f r (BinL t (f x) v) Down
visit f t (BinL l x v) Up = visit f (Bin l x t) v Up

mapTree :: (Int64 -> Int64) -> BinTree -> BinTree
mapTree f (Bin l x r) = Bin (mapTree f l) (f x) (mapTree f r)
mapTree _ Tip = Tip

balanced :: Int64 -> Int64 -> BinTree
balanced low high
  | low >= high = Tip
  | otherwise = let middle = (low + high) `div` 2 in Bin (balanced low middle) middle (balanced (middle + 1) high)

total :: BinTree -> Int64
total (Bin l x r) = total l + x + total r
total Tip = 0

repeated :: (a -> a) -> a -> Int64 -> a
repeated f !x times = if times <= 0 then x else repeated f (f x) (times - 1)

mapList :: (Int64 -> Int64) -> List Int64 -> List Int64
mapList _ Nil = Nil
mapList f (Cons x rest) = Cons (f x) (mapList f rest)

countDown :: Int64 -> List Int64 -> List Int64
countDown n !xs = if n <= 0 then xs else countDown (n - 1) (Cons n xs)

sumList :: List Int64 -> Int64 -> Int64
sumList Nil !n = n
sumList (Cons x rest) n = sumList rest (n + x)

first :: List Int64 -> Int64
first Nil = 0
first (Cons x _) = x

mapShared :: List Int64 -> Int64 -> Int64 -> Int64
mapShared xs times !n = if times <= 0 then n else mapShared xs (times - 1) (n + first (mapList (+ times) xs) - times + 1)

main :: IO ()
main = do
  name : arguments <- getArgs
  let n : more = map read arguments
      times = case more of t : _ -> t; [] -> 1
  print $ case name of
    "rbtree" -> countTrue (withKeysBelow n Leaf)
    "rbtree_ck" -> rbtreeCk n
    "deriv" -> deriv n
    "nqueens" -> size' (boards n n) 0
    "cfold" -> value (folded (reassociated (tower n 1)))
    "tmap_fbip" -> total (repeated (\t -> visit (+ 1) t Done Down) (balanced 0 n) times)
    "tmap_plain" -> total (repeated (mapTree (+ 1)) (balanced 0 n) times)
    "list_map" -> sumList (repeated (mapList (+ 1)) (countDown n Nil) times) 0
    "list_map_shared" -> mapShared (countDown n Nil) times 0
    _ -> error name
