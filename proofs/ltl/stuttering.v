(* Formulas without next cannot tell stutter-equivalent words apart.

   This is why a reduction is free to repeat or leave out steps that a claim cannot see (Lamport 1983; Peled and Wilke
   1997). The second theorem shows that next is not free by accident: with it, words can be told apart. *)
(* Proves: next_free_cannot_tell, next_can_tell *)
(* Assumes: classic (through the kernel of a formula) *)
From Coq Require Import Arith Lia.
From everafter.ltl Require Import words formulas.

Section Stuttering.
Variables proposition letter : Type.
Variable truth : letter -> proposition -> bool.

(* Two words cut into matching blocks, and positions in blocks of the same number. *)
Section Matched.
Variables x y : word letter.
Variables f g : nat -> nat.
Hypothesis F : begins_blocks f.
Hypothesis G : begins_blocks g.

Definition matched (i j : nat) := exists n, in_block f n i /\ in_block g n j.

Lemma until_is_matched : forall (P Q P' Q' : nat -> Prop),
  (forall i j, matched i j -> P i -> P' j) -> (forall i j, matched i j -> Q i -> Q' j) ->
  forall i j, matched i j -> until_from P Q i -> until_from P' Q' j.
Proof.
  intros P Q P' Q' HP HQ i j (n & ni & nj) (k & le & Qk & before).
  destruct (block_of f F k) as (m & mk).
  pose proof (block_order f F n m i k ni mk le) as order.
  destruct (Nat.eq_dec n m) as [<-|different].
  - exists j. repeat split; auto; [apply (HQ k j); auto; exists n; auto | intros; lia].
  - exists (g m). assert (later : g (S n) <= g m) by (apply starts_grow_weakly; auto; lia).
    unfold in_block in nj. split; [lia|]. split.
    + apply (HQ k (g m)); auto. exists m. split; auto. apply start_in_block; auto.
    + intros l low high. destruct (block_of g G l) as (b & bl).
      destruct (Nat.eq_dec b n) as [->|other].
      * apply (HP i l); [exists n; auto|]. apply before; auto.
        pose proof (starts_grow_weakly f F (S n) m ltac:(lia)). unfold in_block in ni, mk. lia.
      * assert (n <= b) by (apply (block_order g G n b j l); auto).
        assert (b < m).
        { destruct (le_lt_dec m b); auto. pose proof (starts_grow_weakly g G m b ltac:(lia)).
          unfold in_block in bl. lia. }
        apply (HP (f b) l); [exists b; split; auto; apply start_in_block; auto|].
        pose proof (starts_grow_weakly f F (S n) b ltac:(lia)).
        pose proof (starts_grow f F b m ltac:(lia)). unfold in_block in ni, mk.
        apply before; lia.
Qed.
End Matched.

Lemma matched_sym : forall f g i j, matched f g i j -> matched g f j i.
Proof. intros f g i j (n & A & B). exists n. auto. Qed.

Lemma kernel_cannot_tell : forall x y f g, begins_blocks f -> begins_blocks g ->
  (forall n i j, in_block f n i -> in_block g n j -> x i = y j) ->
  forall k, without_then k -> forall i j, matched f g i j -> (means truth x k i <-> means truth y k j).
Proof.
  intros x y f g F G same. induction k; intros free i j M; simpl in free |- *; try tauto.
  - destruct M as (n & A & B). rewrite (same n i j A B). tauto.
  - rewrite (IHk free i j M). tauto.
  - destruct free as [free1 free2]. rewrite (IHk1 free1 i j M), (IHk2 free2 i j M). tauto.
  - destruct free as [free1 free2]. split.
    + apply (until_is_matched f g F G); auto; intros a b N; [apply IHk1 | apply IHk2]; auto.
    + apply (until_is_matched g f G F); auto using matched_sym;
        intros a b N; [apply IHk1 | apply IHk2]; auto using matched_sym.
Qed.

(* Proof of everafter.ltl.stutter.is_next_free *)
Theorem next_free_cannot_tell : forall (f : formula proposition) (x y : word letter), next_free f ->
  stutter_equivalent x y -> (satisfies truth x f <-> satisfies truth y f).
Proof.
  intros k x y free (f & g & F & G & same). unfold satisfies. rewrite !kernel_means_the_same.
  apply (kernel_cannot_tell x y f g); auto using kernel_has_no_new_next.
  exists 0. split.
  - rewrite <- (proj1 F) at 2. apply start_in_block; auto.
  - rewrite <- (proj1 G) at 2. apply start_in_block; auto.
Qed.
End Stuttering.

(* p, then not p for ever; and the same with p twice. *)
Theorem next_can_tell : exists (f : formula unit) (x y : word bool),
  stutter_equivalent x y /\ satisfies (fun l _ => l) x f /\ ~ satisfies (fun l _ => l) y f.
Proof.
  exists (Next (Not (Atom tt))), (fun n => n <? 1), (fun n => n <? 2). split; [|split].
  - exists (fun n => n), (fun n => match n with 0 => 0 | S m => S (S m) end).
    split; [apply identity_begins_blocks|]. split; [split; [reflexivity | intros [|n]; lia]|].
    unfold in_block. intros n i j A B.
    destruct n; destruct (Nat.ltb_spec i 1), (Nat.ltb_spec j 2); auto; lia.
  - unfold satisfies. simpl. discriminate.
  - unfold satisfies. simpl. intros no. apply no. reflexivity.
Qed.
