(* How the judge tells whether a run that is shown is fair.

   Of the states of its cycle that are outside of atomic sequences, the judge looks who can move in all of them, for
   weak fairness, or in any of them, for strong, and asks that all of these move on the cycle. That is so if and only
   if the run, which goes round the cycle for ever, is fair to every process (`judged_fair`). The text follows
   everafter.verdict.judge.is_fair. *)
(* Proves: judged_fair *)
From Coq Require Import Arith Lia List Bool.
From everafter.product Require Import fairness paths fair_lasso.
Import ListNotations.

Section Judge.
Variable able : nat -> option (list nat).

Fixpoint outside (cycle : list edge) : list (list nat) :=
  match cycle with
  | [] => []
  | e :: rest => match able (source e) with Some can => can :: outside rest | None => outside rest end
  end.
Definition always (able_there : list (list nat)) : list nat :=
  match able_there with [] => [] | first :: others => filter (fun p => forallb (fun can => has can p) others) first end.
Definition is_fair (kind : fairness) (cycle : list edge) : bool :=
  let moved := flat_map movers cycle in
  let wanting := match kind with weak => always (outside cycle) | strong => concat (outside cycle) end in
  forallb (has moved) wanting.

Lemma outside_is : forall cycle can, In can (outside cycle) <-> exists e, In e cycle /\ able (source e) = Some can.
Proof.
  intros cycle can. induction cycle as [|e cycle IH]; simpl.
  - split; [tauto | intros (e & [] & _)].
  - destruct (able (source e)) as [who|] eqn:is; simpl; rewrite IH; clear IH; split.
    + intros [<-|(d & there & same)]; eauto.
    + intros (d & [<-|there] & same); [left; congruence | eauto].
    + intros (d & there & same). eauto.
    + intros (d & [<-|there] & same); [congruence | eauto].
Qed.

Lemma always_is : forall able_there p, In p (always able_there) <->
  able_there <> [] /\ forall can, In can able_there -> In p can.
Proof.
  intros [|first others] p; simpl.
  - split; [tauto | intros [some _]; congruence].
  - rewrite filter_In, forallb_forall. split.
    + intros [here all]. split; [discriminate|]. intros can [<-|there]; [exact here | apply has_true, all, there].
    + intros [_ all]. split; [auto|]. intros can there. apply has_true. auto.
Qed.

Lemma wanted_moves : forall entry cycle p, cycle <> [] ->
  often (moves p) (round entry cycle) <-> In p (flat_map movers cycle).
Proof. intros entry cycle p some. rewrite often_round by exact some. rewrite in_flat_map. reflexivity. Qed.

(* Proof of everafter.verdict.judge.is_fair. *)
Theorem judged_fair : forall kind entry cycle, cycle <> [] ->
  is_fair kind cycle = true <-> forall p, fair able kind (round entry cycle) p.
Proof.
  intros kind entry cycle some. unfold is_fair. rewrite forallb_forall. split.
  - intros all p. destruct kind; simpl.
    + intros can (n & never). apply wanted_moves; [exact some|]. apply has_true, all, always_is.
      apply often_round in can; [|exact some]. destruct can as (e & inside & who & is & here). split.
      * intros none. assert (there : In who (outside cycle)) by (apply outside_is; eauto).
        rewrite none in there. exact there.
      * intros can there. apply outside_is in there. destruct there as (d & within & same).
        destruct (in_dec Nat.eq_dec p can) as [yes|no]; [exact yes|].
        assert (again : often (cannot_move able p) (round entry cycle)).
        { apply often_round; [exact some|]. exists d. split; [exact within|]. exists can. auto. }
        destruct (again n) as (i & le & unable). destruct (never i le unable).
    + intros can. apply wanted_moves; [exact some|]. apply has_true, all.
      apply often_round in can; [|exact some]. destruct can as (e & inside & who & is & here).
      apply in_concat. exists who. split; [apply outside_is; eauto | exact here].
  - intros all p wants. apply has_true. apply wanted_moves with entry; [exact some|]. specialize (all p).
    destruct kind; simpl in all.
    + apply always_is in wants. destruct wants as [there wants].
      assert (never : forall e, In e cycle -> ~ cannot_move able p e).
      { intros e inside (can & is & no). apply no, wants, outside_is. eauto. }
      apply all.
      * destruct (outside cycle) as [|can rest] eqn:is; [congruence|].
        assert (within : In can (outside cycle)) by (rewrite is; left; reflexivity).
        apply outside_is in within. destruct within as (e & inside & same). apply often_round; [exact some|].
        exists e. split; [exact inside|]. exists can. split; [exact same | apply wants; left; reflexivity].
      * exists (length entry). intros i le. apply never. unfold round.
        replace (i <? length entry) with false by (symmetry; apply Nat.ltb_ge; exact le).
        apply nth_In, Nat.mod_upper_bound. destruct cycle; [congruence | discriminate].
    + apply all, often_round; [exact some|]. apply in_concat in wants. destruct wants as (can & there & here).
      apply outside_is in there. destruct there as (e & inside & is). exists e.
      split; [exact inside | exists can; auto].
Qed.
End Judge.
