(* What is extracted from the proofs, to OCaml. Nothing of Coq's library is replaced by OCaml's but truth values, options,
   pairs and lists, which are the same there: numbers stay what they are in Coq. *)
From Coq Require Import Extraction ExtrOcamlBasic.
From everafter.ltl Require formulas automaton.
From everafter.semantics Require Import values program states expressions statements system certified observed satisfied claimed.
Extraction Language OCaml.
Extraction "meaning.ml" steps initial is_valid_end same_state certify certify_claim certify_never certify_automaton
  automaton.parts automaton.same_kernel.
