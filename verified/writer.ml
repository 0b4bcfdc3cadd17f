(* States in the plain form, the same text for the same state. *)
open Meaning
open Values

let list f l = "(" ^ String.concat " " (List.map f l) ^ ")"
let of_number v = string_of_int (of_z v)
let numbers = list of_number
let process q =
  list Fun.id
    (string_of_int (of_nat q.kind) :: string_of_int (of_positive q.place) :: of_number q.priority
    :: List.map of_number q.locals)
let channel c = list Fun.id (string_of_int (of_nat c.declared) :: List.map numbers c.messages)
let state s =
  Printf.sprintf "(state %s %d %d %s %s %s)"
    (match s.exclusive with None -> "none" | Some h -> string_of_int (of_nat h))
    (of_nat s.last) (of_positive s.moment_now) (numbers s.globals) (list process s.processes)
    (list channel s.channels)
let outcome (who, what) =
  let by word s = Printf.sprintf "%s %s %s" word (list (fun n -> string_of_int (of_nat n)) who) (state s) in
  match what with
  | Goes s -> by "goes" s
  | Fails (AssertionFailed, s) -> by "assertion" s
  | Fails (WentWrong, s) -> by "runtime" s
  | Fails (TraceViolated, s) -> by "trace" s
  | Breaks -> "breaks"
