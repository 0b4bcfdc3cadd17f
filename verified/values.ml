(* Numbers of OCaml as those of the extracted text, which are its own, and back. *)
open Meaning

let rec positive i = if i = 1 then XH else if i land 1 = 1 then XI (positive (i lsr 1)) else XO (positive (i lsr 1))
let small = Array.init 512 (fun i ->
  let v = i - 256 in
  if v = 0 then Z0 else if v > 0 then Zpos (positive v) else Zneg (positive (-v)))
let z i =
  if i >= -256 && i < 256 then small.(i + 256) else if i > 0 then Zpos (positive i) else Zneg (positive (-i))
let rec nat i = if i = 0 then O else S (nat (i - 1))
let n i = if i = 0 then N0 else Npos (positive i)

let rec of_positive = function XH -> 1 | XO p -> 2 * of_positive p | XI p -> (2 * of_positive p) + 1
let of_z = function Z0 -> 0 | Zpos p -> of_positive p | Zneg p -> -of_positive p
let of_n = function N0 -> 0 | Npos p -> of_positive p
let of_nat number =
  let rec count sum = function O -> sum | S less -> count (sum + 1) less in
  count 0 number
