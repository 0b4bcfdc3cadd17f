(* Whether an edge is in an acceptance set, computed.

   The sets of fairness.v are propositions, which cannot be run. Here they are truth values, so that what machine code
   writes down can be held against them. *)
(* Proves: set_is_computed *)
From Coq Require Import Arith List Bool.
From everafter.product Require Import fairness paths.

Section Sets.
Variable able : nat -> option (list nat).
Variable accepting : nat -> bool.

Definition is_unable (p : nat) (e : edge) : bool :=
  match able (source e) with Some can => negb (has can p) | None => false end.
Definition is_in_set (set : nat) (e : edge) : bool :=
  match set with 0 => accepting (source e) | S p => has (movers e) p || is_unable p e end.

Lemma unable_is : forall p e, is_unable p e = true <-> cannot_move able p e.
Proof.
  intros p e. unfold is_unable, cannot_move. destruct (able (source e)) as [can|].
  - rewrite negb_true_iff, has_false. split; [eauto|]. intros (other & same & no). injection same as <-. exact no.
  - split; [discriminate | intros (other & same & _); discriminate].
Qed.

Theorem set_is_computed : forall set e, is_in_set set e = true <-> in_set able accepting set e.
Proof.
  intros [|p] e; simpl; [reflexivity|]. rewrite orb_true_iff, has_true, unable_is. reflexivity.
Qed.
End Sets.
