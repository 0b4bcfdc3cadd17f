(* Texts in brackets: a word, or items between ( and ). A semicolon begins a comment, which ends with its line. *)
type t = Word of string | Items of t list

exception Unreadable of string

let fail what = raise (Unreadable what)

(* The next item of a channel, if there is one. *)
let read input =
  let pending = ref None in
  let next () =
    match !pending with
    | Some c -> pending := None; Some c
    | None -> (try Some (input_char input) with End_of_file -> None) in
  let rec skip_line () = match next () with None | Some '\n' -> () | Some _ -> skip_line () in
  let word = Buffer.create 16 in
  let rec rest () =
    match next () with
    | Some ((' ' | '\n' | '\t' | '\r' | '(' | ')' | ';') as c) -> pending := Some c
    | None -> ()
    | Some c -> Buffer.add_char word c; rest () in
  let rec one () =
    match next () with
    | None -> None
    | Some (' ' | '\n' | '\t' | '\r') -> one ()
    | Some ';' -> skip_line (); one ()
    | Some ')' -> fail "a bracket closes nothing"
    | Some '(' -> Some (Items (several []))
    | Some c ->
        Buffer.clear word; Buffer.add_char word c; rest ();
        Some (Word (Buffer.contents word))
  and several found =
    match next () with
    | None -> fail "a bracket is not closed"
    | Some (' ' | '\n' | '\t' | '\r') -> several found
    | Some ';' -> skip_line (); several found
    | Some ')' -> List.rev found
    | Some c ->
        pending := Some c;
        (match one () with Some item -> several (item :: found) | None -> fail "a bracket is not closed") in
  one

let rec text = function
  | Word w -> w
  | Items l -> "(" ^ String.concat " " (List.map text l) ^ ")"
