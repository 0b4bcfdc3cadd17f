(* Words: infinite sequences of letters, and when two of them are the same up to stuttering.

   A run of a program makes a word: the letters are what a claim can see of each state. Two words are
   stutter-equivalent if both can be cut into finite, nonempty blocks such that the n-th block of the one and the n-th
   block of the other consist of one and the same letter: they differ only in how often a letter is repeated. A
   reduction may leave out or reorder what a claim cannot see, so it keeps words only up to stuttering; everything
   said about reduction rests on the definitions of this file. *)
(* Proves: stutter_equivalent_same, stutter_equivalent_sym, stutter_equivalent_stepwise, condenses_trans *)
(* Assumes: constructive_indefinite_description (only stutter_equivalent_stepwise: infinitely many blocks are chosen,
   each after the one before) *)
From Coq Require Import Arith Lia IndefiniteDescription.

Section Words.
Variable letter : Type.

Definition word := nat -> letter.

(* Where blocks begin: the first at 0, and none of them is empty. *)
Definition begins_blocks (start : nat -> nat) := start 0 = 0 /\ forall n, start n < start (S n).
Definition in_block (start : nat -> nat) (n i : nat) := start n <= i /\ i < start (S n).

Definition stutter_equivalent (x y : word) := exists f g,
  begins_blocks f /\ begins_blocks g /\ forall n i j, in_block f n i -> in_block g n j -> x i = y j.

(* z is x with some repetitions of letters left out: each block of x becomes one letter of z. *)
Definition condenses (x z : word) := exists f, begins_blocks f /\ forall n i, in_block f n i -> x i = z n.

Lemma starts_grow : forall f, begins_blocks f -> forall a b, a < b -> f a < f b.
Proof. intros f [_ F] a b less. induction less; [apply F | eapply Nat.lt_trans; eauto]. Qed.

Lemma starts_grow_weakly : forall f, begins_blocks f -> forall a b, a <= b -> f a <= f b.
Proof.
  intros f F a b le. destruct (Nat.eq_dec a b) as [->|different]; [lia|].
  apply Nat.lt_le_incl, starts_grow; auto; lia.
Qed.

Lemma block_of : forall f, begins_blocks f -> forall i, exists n, in_block f n i.
Proof.
  unfold in_block. intros f [F0 F] i. induction i as [|i [n inside]].
  - exists 0. specialize (F 0). lia.
  - destruct (Nat.eq_dec (S i) (f (S n))).
    + exists (S n). specialize (F (S n)). lia.
    + exists n. lia.
Qed.

Lemma block_order : forall f, begins_blocks f -> forall m n i j, in_block f m i -> in_block f n j -> i <= j -> m <= n.
Proof.
  unfold in_block. intros f F m n i j im jn le. destruct (le_lt_dec m n); auto.
  pose proof (starts_grow_weakly f F (S n) m ltac:(lia)). lia.
Qed.

Lemma start_in_block : forall f, begins_blocks f -> forall n, in_block f n (f n).
Proof. unfold in_block. intros f [_ F] n. specialize (F n). lia. Qed.

Lemma identity_begins_blocks : begins_blocks (fun n => n).
Proof. split; auto. Qed.

Theorem stutter_equivalent_same : forall x y : word, (forall n, x n = y n) -> stutter_equivalent x y.
Proof.
  intros x y same. exists (fun n => n), (fun n => n). repeat split; auto.
  unfold in_block. intros n i j A B. replace i with n by lia. replace j with n by lia. auto.
Qed.

Theorem stutter_equivalent_sym : forall x y, stutter_equivalent x y -> stutter_equivalent y x.
Proof.
  intros x y (f & g & F & G & same). exists g, f. repeat split; try apply F; try apply G.
  intros n i j A B. symmetry. eauto.
Qed.

(* Blocks may be found one after the other: R a b says that blocks may begin at a in x and at b in y. *)
Theorem stutter_equivalent_stepwise : forall (x y : word) (R : nat -> nat -> Prop), R 0 0 ->
  (forall a b, R a b -> exists a' b', a < a' /\ b < b' /\ R a' b' /\
     forall i j, a <= i -> i < a' -> b <= j -> j < b' -> x i = y j) ->
  stutter_equivalent x y.
Proof.
  intros x y R start go_on.
  pose (pair := { p : nat * nat | R (fst p) (snd p) }).
  assert (total : forall p : pair, exists q : pair,
    fst (proj1_sig p) < fst (proj1_sig q) /\ snd (proj1_sig p) < snd (proj1_sig q) /\
    forall i j, fst (proj1_sig p) <= i -> i < fst (proj1_sig q) ->
      snd (proj1_sig p) <= j -> j < snd (proj1_sig q) -> x i = y j).
  { intros [[a b] Rab]. destruct (go_on a b Rab) as (a' & b' & A & B & Rab' & same).
    exists (exist _ (a', b') Rab'). simpl. auto. }
  destruct (functional_choice _ total) as (next & chosen).
  pose (nth := fun n => Nat.iter n next (exist _ (0, 0) start : pair)).
  exists (fun n => fst (proj1_sig (nth n))), (fun n => snd (proj1_sig (nth n))).
  split; [|split].
  - split; [reflexivity|]. intros n. apply (chosen (nth n)).
  - split; [reflexivity|]. intros n. apply (chosen (nth n)).
  - unfold in_block. intros n i j [low high] [low' high']. apply (chosen (nth n)); auto.
Qed.

Lemma condenses_same : forall x z : word, (forall n, x n = z n) -> condenses x z.
Proof.
  intros x z same. exists (fun n => n). split; [apply identity_begins_blocks|].
  unfold in_block. intros n i A. replace i with n by lia. auto.
Qed.

Theorem condenses_trans : forall x y z, condenses x y -> condenses y z -> condenses x z.
Proof.
  intros x y z (f & F & fine) (g & G & coarse). exists (fun n => f (g n)). split.
  - split; [rewrite (proj1 G); apply F | intros n; apply starts_grow; auto; apply G].
  - intros n i [low high]. destruct (block_of f F i) as (k & ki). rewrite (fine k i ki). apply coarse.
    unfold in_block in *. split.
    + destruct (le_lt_dec (g n) k); auto.
      pose proof (starts_grow_weakly f F (S k) (g n) ltac:(lia)). lia.
    + destruct (le_lt_dec (g (S n)) k); auto.
      pose proof (starts_grow_weakly f F (g (S n)) k ltac:(lia)). lia.
Qed.

(* One repeated letter, that at k + 1, is left out. *)
Lemma condenses_without : forall (x z : word) k,
  (forall i, i <= k -> x i = z i) -> (forall i, k <= i -> x (S i) = z i) -> condenses x z.
Proof.
  intros x z k before after. exists (fun n => if n <=? k then n else S n). split; [split; [reflexivity|]|].
  - intros n. destruct (Nat.leb_spec n k), (Nat.leb_spec (S n) k); lia.
  - unfold in_block. intros n i. destruct (Nat.leb_spec n k), (Nat.leb_spec (S n) k); intros [low high].
    + replace i with n by lia. auto.
    + assert (n = k) by lia; subst. assert (i = k \/ i = S k) as [->| ->] by lia; auto.
    + lia.
    + replace i with (S n) by lia. apply after. lia.
Qed.
End Words.

Arguments begins_blocks start : clear implicits.
Arguments stutter_equivalent {letter} x y.
Arguments condenses {letter} x z.
