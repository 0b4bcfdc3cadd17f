(* everafter-verified: explores a program by the extracted `steps`, or has the extracted `certify` decide rows.

     everafter-verified count PROGRAM [MOST]     how many states, how many of them in the middle of an atomic sequence, how
                                                 many steps, and how many states in which something goes wrong
     everafter-verified outcomes PROGRAM         for each state on the standard input, what comes of its steps, and by whom
     everafter-verified certify PROGRAM          decides the rows on the standard input: safety
     everafter-verified certify PROGRAM CLAIM    decides the rows on the standard input: a formula, an automaton, a never claim

   Exit status: 0, 1 if rows are refused, 2 if something cannot be read or does not end. Trusted of this file is that
   `certify` is given the program that was read, and that its answer is what is printed. *)
open Meaning
open Values

let every_item input =
  let next = Brackets.read input in
  let rec all found = match next () with Some item -> all (item :: found) | None -> List.rev found in
  all []
let items_of path =
  let input = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in input) (fun () -> every_item input)
let program_of path = Reader.program (items_of path)

(* Where a row is listed. Nothing depends on it but time. *)
let mix h i = ((h * 0x9E3779B1) + i + (h lsr 29)) land max_int
let mixed f h l = List.fold_left f h l
let mix_z h v = mix h (of_z v)
let hash s =
  let h = mixed mix_z 7 s.globals in
  let h = mixed (fun h q -> mixed mix_z (mix (mix h (of_nat q.kind)) (of_positive q.place)) q.locals) h s.processes in
  let h = mixed (fun h c -> mixed (mixed mix_z) (mix h 99) c.messages) h s.channels in
  let h = mix (mix h (of_positive s.moment_now)) (of_nat s.last) in
  mix h (match s.exclusive with None -> 0 | Some i -> 1 + of_nat i)
let key s =
  let h = hash s in
  positive (1 + ((h lxor (h lsr 25)) land 0x3FFFFF))

module Seen = Hashtbl.Make (struct
  type t = state
  let equal = same_state
  let hash = hash
end)

exception Too_many

let count path most =
  let program = program_of path in
  let seen = Seen.create 100_000 and waiting = Queue.create () in
  let inside = ref 0 and taken = ref 0 and wrong = ref 0 in
  let meet s =
    if not (Seen.mem seen s) then begin
      if Seen.length seen >= most then raise Too_many;
      if s.exclusive <> None then incr inside;
      Seen.add seen s ();
      Queue.add s waiting
    end in
  let is_wrong = function Goes _ -> false | Fails _ | Breaks -> true in
  (match initial program with Some s -> meet s | None -> incr wrong);
  while not (Queue.is_empty waiting) do
    let s = Queue.pop waiting in
    let found = steps program s in
    if List.exists is_wrong found || (found = [] && not (is_valid_end program s)) then incr wrong;
    List.iter (fun it -> incr taken; match it with Goes t | Fails (_, t) -> meet t | Breaks -> ()) found
  done;
  Printf.printf "%d %d %d %d\n" (Seen.length seen) !inside !taken !wrong

let outcomes path =
  let program = program_of path in
  (match initial program with
  | Some s -> print_endline ("initial " ^ Writer.state s)
  | None -> print_endline "initial breaks");
  let next = Brackets.read stdin in
  let rec all () =
    match next () with
    | None -> ()
    | Some item ->
        let found = steps_by program (Reader.state item) in
        List.iter (fun it -> print_endline (Writer.outcome it)) found;
        if found = [] then print_endline (if is_valid_end program (Reader.state item) then "stops" else "deadlock");
        print_endline ".";
        all () in
  all ()

(* Certificates leave out the states in the middle of atomic sequences; here they are again. Nothing of this is trusted:
   it is all the rows together that are decided. *)
let has_atomic program =
  let rec some f = function
    | PositiveMap.Leaf -> false
    | PositiveMap.Node (l, it, r) -> (match it with Some x -> f x | None -> false) || some f l || some f r in
  List.exists (fun t -> some (fun n -> List.exists (fun t -> t.keeps_atomic) n.transitions) t.nodes) program.proctypes
let completed program rows =
  if not (has_atomic program) then rows
  else begin
    let seen = Seen.create 100_000 and all = ref rows and waiting = Stack.create () in
    let meet = function
      | Goes t when t.exclusive <> None && not (Seen.mem seen t) ->
          Seen.add seen t ();
          all := t :: !all;
          Stack.push t waiting
      | _ -> () in
    let follow s = List.iter meet (steps program s) in
    List.iter (fun s -> if s.exclusive <> None then Seen.replace seen s ()) rows;
    List.iter follow rows;
    while not (Stack.is_empty waiting) do follow (Stack.pop waiting) done;
    !all
  end

(* The same of rows with ranks, of one observer: `first_moves` says where it goes on reading a state that any process may
   leave. Ranks are doubled. In the middle of an atomic sequence the rank is the least that will do: that of what follows,
   or the odd one above it, which names no set, where a step belongs to the set that this one names; and there is a step
   more left than behind any of them. *)
module Ranked = Hashtbl.Make (struct
  type t = state * int
  let equal (s, p) (t, q) = p = q && same_state s t
  let hash (s, p) = mix (hash s) p
end)

let completed_with_ranks program sets first_moves rows =
  let given = List.filter_map (fun (s, at, rank) -> if s.exclusive = None then Some (s, at, 2 * rank, 0) else None) rows in
  if not (has_atomic program) then given
  else begin
    let known = Ranked.create 100_000 and inside = ref [] and waiting = Stack.create () in
    let reached = function who, (Goes t | Fails (_, t)) -> Some (List.map of_nat who, t) | _, Breaks -> None in
    let meet at (_, t) =
      if t.exclusive <> None && not (Ranked.mem known (t, at)) then begin
        Ranked.replace known (t, at) (0, 0);
        Stack.push (t, at) waiting
      end in
    List.iter (fun (s, at, rank, _) -> Ranked.replace known (s, at) (rank, -1)) given;
    let follow (s, at, _, _) =
      let found = steps_by program s in
      let read = first_moves s (found = []) at in
      if read <> [] then begin
        let targets = List.filter_map reached found in
        List.iter (fun next -> List.iter (meet next) targets) read
      end in
    List.iter follow given;
    while not (Stack.is_empty waiting) do
      let s, at = Stack.pop waiting in
      let next = List.filter_map reached (steps_by program s) in
      inside := (s, at, next) :: !inside;
      List.iter (meet at) next
    done;
    let belongs rank who = rank land 1 = 0 && List.mem (((rank / 2) mod sets) - 1) who in
    (* Where a sequence never ends, the steps that are left would grow for ever: then nothing is accepted. *)
    let most = List.length !inside in
    let changed = ref true in
    while !changed do
      changed := false;
      List.iter
        (fun (s, at, next) ->
          let behind =
            List.map (fun (who, t) -> who, (try Ranked.find known (t, at) with Not_found -> 0, -1)) next in
          let rank, left =
            List.fold_left (fun (rank, left) (_, (r, l)) -> max rank r, max left (min most (l + 1))) (0, 0) behind in
          let rank = if List.exists (fun (who, (r, _)) -> r = rank && belongs rank who) behind then rank + 1 else rank in
          if (rank, left) <> Ranked.find known (s, at) then begin
            Ranked.replace known (s, at) (rank, left);
            changed := true
          end)
        !inside
    done;
    let row (s, at, _) = let rank, left = Ranked.find known (s, at) in s, at, rank, left in
    List.rev_append (List.rev_map row !inside) given
  end

(* What `decide` says of the rows on the standard input, each read by `read`. *)
let decided read decide =
  let rows = ref [] and next = Brackets.read stdin in
  let rec all () = match next () with Some item -> rows := read item :: !rows; all () | None -> true in
  let accepted = try all () && decide !rows with Brackets.Unreadable why -> prerr_endline why; false in
  Printf.printf "%s %d\n" (if accepted then "accepted" else "refused") (List.length !rows);
  if not accepted then exit 1

let certified path =
  let program = program_of path in
  decided Reader.state (fun rows -> certify key program (completed program rows))

(* Rows of a product: completed, with their places as the observer has them. *)
let ranked program sets place_of number_of first_moves rows =
  let moves s stopped at =
    match first_moves s stopped (place_of at) with Some l -> List.map number_of l | None -> [] in
  let all = completed_with_ranks program sets moves rows in
  List.rev_map (fun (s, at, rank, left) -> ((s, place_of at), n rank), n left) all

let some_positive at = if at < 1 then Brackets.fail "places of a never claim begin at 1" else positive at

let certified_claim path claimed =
  let program = program_of path and claim : Reader.claim = Reader.claim (items_of claimed) in
  let sets = positive claim.sets in
  let of_automaton propositions automaton =
    ranked program claim.sets nat of_nat (letters_read program propositions automaton) in
  let decide rows =
    match claim.observer with
    | AFormula (formula, propositions, automaton, why) ->
        certify_claim program propositions key automaton sets formula why (of_automaton propositions automaton rows)
    | AnAutomaton (propositions, automaton) ->
        certify_automaton program propositions key automaton sets (of_automaton propositions automaton rows)
    | ANever never ->
        certify_never program never key sets
          (ranked program claim.sets some_positive of_positive (claim_reads program never) rows) in
  decided Reader.row decide

let () =
  try
    match Array.to_list Sys.argv with
    | [ _; "count"; path ] -> count path max_int
    | [ _; "count"; path; most ] -> count path (int_of_string most)
    | [ _; "outcomes"; path ] -> outcomes path
    | [ _; "certify"; path ] -> certified path
    | [ _; "certify"; path; claim ] -> certified_claim path claim
    | _ -> prerr_endline "everafter-verified count PROGRAM [MOST] | outcomes PROGRAM | certify PROGRAM [CLAIM]"; exit 2
  with
  | Brackets.Unreadable why | Sys_error why -> prerr_endline why; exit 2
  | Too_many -> prerr_endline "too many states"; exit 2
  | Stack_overflow -> prerr_endline "too deep"; exit 2
