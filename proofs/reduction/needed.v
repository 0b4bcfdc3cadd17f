(* Each of the five conditions is needed.

   For every condition there is here a small system with a reduction that satisfies the other four, and a claim
   without next on which the reduced system and the whole one disagree. So the theorem of reduction/preservation.v
   does not hold for want of something to say, and no condition in it could be dropped. The systems are the classical
   mistakes: to go round a loop for ever while another process waits; to take alone what the claim sees; to take alone
   what another disables; to take nothing; to take what is not possible. *)
(* Proves: wellfounded_is_needed, invisible_is_needed, independent_is_needed, nonempty_is_needed, subset_is_needed *)
(* Assumes: nothing *)
From Coq Require Import Arith Lia.
From everafter.ltl Require Import words formulas.
From everafter.reduction Require Import conditions preservation.

(* What is seen is one truth value, and the claim that it is never true. *)
Definition flag (seen : bool) (_ : unit) := seen.
Definition never : formula unit := Not (Eventually (Atom tt)).
Definition claim (x : word bool) := satisfies flag x never.

Lemma claim_is : forall x : word bool, claim x <-> forall i, x i = false.
Proof.
  intros x. unfold claim, satisfies. simpl. unfold flag. split.
  - intros no i. destruct (x i) eqn:E; auto. exfalso. apply no. exists i. split; [lia | auto].
  - intros all (i & _ & E). rewrite all in E. discriminate.
Qed.

Section Four.
Variables state action : Type.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable label : state -> bool.
Variable taken : state -> action -> Prop.
Variable start : state.

Definition begins (s : state) := s = start.
Definition subset_here := subset_holds state action begins enabled execute taken.
Definition nonempty_here := nonempty_holds state action begins enabled execute taken.
Definition independent_here := independent_holds state action begins enabled execute taken.
Definition invisible_here := invisible_holds state action bool begins enabled execute label taken.
Definition wellfounded_here := wellfounded_holds state action begins enabled execute taken.
Definition whole_satisfies := all_runs state action bool enabled execute label claim start.
Definition reduced_satisfies := all_reduced_runs state action bool execute label taken claim start.
End Four.

(* A loop that is taken alone for ever: the flag is never raised. *)
Section Ignoring.
Inductive ignoring := Loop | Raise.
Definition can (s : bool) (a : ignoring) := match a with Loop => True | Raise => s = false end.
Definition does (s : bool) (a : ignoring) := match a with Loop => s | Raise => true end.
Definition only_loop (_ : bool) (a : ignoring) := a = Loop.

Theorem wellfounded_is_needed :
  subset_here bool ignoring can does only_loop false /\ nonempty_here bool ignoring can does only_loop false /\
  independent_here bool ignoring can does only_loop false /\
  invisible_here bool ignoring can does (fun s => s) only_loop false /\
  reduced_satisfies bool ignoring does (fun s => s) only_loop false /\
  ~ whole_satisfies bool ignoring can does (fun s => s) false.
Proof.
  split; [intros s a _ ->; exact I|]. split; [intros s a _ _; exists Loop; reflexivity|].
  split; [intros s w k b _ _ -> _ possible _; simpl; auto|]. split; [intros s w k b _ _ -> _ _; reflexivity|]. split.
  - intros w W. apply claim_is. unfold word_of. induction i; simpl; auto. rewrite IHi. rewrite (W i). reflexivity.
  - intros all. pose (w := fun i => match i with 0 => Raise | S _ => Loop end).
    assert (W : run bool ignoring can does false w) by (intros [|i]; simpl; auto).
    specialize (all w W). rewrite claim_is in all. specialize (all 1). discriminate.
Qed.
End Ignoring.

(* Two flags are raised in either order; the claim sees the second without the first. *)
Section Seeing.
Inductive flags := None | First | Second | All.
Inductive raising := RaiseFirst | RaiseSecond | Rest.
Definition may (s : flags) (a : raising) := match s, a with
  | None, RaiseFirst | None, RaiseSecond | First, RaiseSecond | Second, RaiseFirst | All, Rest => True
  | _, _ => False end.
Definition raised (s : flags) (a : raising) := match s, a with
  | None, RaiseFirst => First | None, RaiseSecond => Second
  | First, RaiseSecond | Second, RaiseFirst => All | _, _ => s end.
Definition second_alone (s : flags) := match s with Second => true | _ => false end.
Definition first_first (s : flags) (a : raising) := match s with None => a = RaiseFirst | _ => may s a end.

Lemma only_none : forall s, ~ everything_taken flags raising may first_first s -> s = None.
Proof. intros [] NE; auto; exfalso; apply NE; intros a; auto. Qed.

Theorem invisible_is_needed :
  subset_here flags raising may raised first_first None /\ nonempty_here flags raising may raised first_first None /\
  independent_here flags raising may raised first_first None /\
  wellfounded_here flags raising may raised first_first None /\
  reduced_satisfies flags raising raised second_alone first_first None /\
  ~ whole_satisfies flags raising may raised second_alone None.
Proof.
  split; [intros [] a _ T; simpl in T; try subst; simpl; auto|].
  split; [intros [] a _ E; [exists RaiseFirst | exists a | exists a | exists a]; simpl; auto|]. split.
  { intros s w k b _ NE B [possible avoided]. apply only_none in NE. subst s. simpl in B. subst b.
    assert (first : w 0 = RaiseSecond).
    { pose proof (possible 0 ltac:(lia)) as P. pose proof (avoided 0 ltac:(lia)) as A. simpl in *.
      destruct (w 0); tauto. }
    destruct k; [rewrite first; intros _ _; simpl; auto|]. exfalso.
    pose proof (possible 1 ltac:(lia)) as P. pose proof (avoided 1 ltac:(lia)) as A.
    cbn [after] in P. rewrite first in P. simpl in *. destruct (w 1); tauto. }
  split.
  { assert (others : forall s, s <> None ->
      Acc (fun t s => taken_alone flags raising (begins flags None) may raised first_first s t) s).
    { intros s different. constructor. intros t (_ & NE & _). apply only_none in NE. contradiction. }
    intros s. constructor. intros t (_ & NE & b & B & ->). apply only_none in NE. subst s. simpl in B. subst b.
    apply others. discriminate. }
  split.
  - intros w W. apply claim_is. intros i. unfold word_of.
    assert (never_second : after flags raising raised None w i <> Second).
    { induction i; simpl; [discriminate|]. specialize (W i). simpl in W.
      destruct (after flags raising raised None w i), (w i); simpl in *; congruence. }
    destruct (after flags raising raised None w i); simpl; congruence.
  - intros all. pose (w := fun i => match i with 0 => RaiseSecond | 1 => RaiseFirst | S (S _) => Rest end).
    assert (W : run flags raising may raised None w).
    { assert (rest : forall i, after flags raising raised None w (S (S i)) = All).
      { induction i; auto.
        change (raised (after flags raising raised None w (S (S i))) Rest = All). rewrite IHi. auto. }
      intros [|[|i]]; [simpl; auto | simpl; auto | rewrite rest; simpl; auto]. }
    specialize (all w W). rewrite claim_is in all. specialize (all 1). discriminate.
Qed.
End Seeing.

(* Two ways from the start, each of which closes the other; only one of them is looked at. *)
Section Choosing.
Inductive place := Start | Left | Right.
Inductive going := GoLeft | GoRight | Stay.
Definition open (s : place) (a : going) := match s, a with
  | Start, GoLeft | Start, GoRight | Left, Stay | Right, Stay => True | _, _ => False end.
Definition goes (s : place) (a : going) := match s, a with
  | Start, GoLeft => Left | Start, GoRight => Right | _, _ => s end.
Definition at_right (s : place) := match s with Right => true | _ => false end.
Definition left_only (s : place) (a : going) := match s with Start => a = GoLeft | _ => open s a end.

Lemma only_start : forall s, ~ everything_taken place going open left_only s -> s = Start.
Proof. intros [] NE; auto; exfalso; apply NE; intros a; auto. Qed.

Theorem independent_is_needed :
  subset_here place going open goes left_only Start /\ nonempty_here place going open goes left_only Start /\
  invisible_here place going open goes at_right left_only Start /\
  wellfounded_here place going open goes left_only Start /\
  reduced_satisfies place going goes at_right left_only Start /\
  ~ whole_satisfies place going open goes at_right Start.
Proof.
  split; [intros [] a _ T; simpl in T; try subst; simpl; auto|].
  split; [intros [] a _ E; [exists GoLeft | exists a | exists a]; simpl; auto|]. split.
  { intros s w k b _ NE B _ E. apply only_start in NE. subst s. simpl in B. subst b.
    destruct (after place going goes Start w k); simpl in *; tauto. }
  split.
  { assert (others : forall s, s <> Start ->
      Acc (fun t s => taken_alone place going (begins place Start) open goes left_only s t) s).
    { intros s different. constructor. intros t (_ & NE & _). apply only_start in NE. contradiction. }
    intros s. constructor. intros t (_ & NE & b & B & ->). apply only_start in NE. subst s. simpl in B. subst b.
    apply others. discriminate. }
  split.
  - intros w W. apply claim_is. intros i. unfold word_of.
    assert (never_right : after place going goes Start w i <> Right).
    { induction i; simpl; [discriminate|]. specialize (W i). simpl in W.
      destruct (after place going goes Start w i), (w i); simpl in *; congruence. }
    destruct (after place going goes Start w i); simpl; congruence.
  - intros all. pose (w := fun i => match i with 0 => GoRight | S _ => Stay end).
    assert (W : run place going open goes Start w).
    { assert (rest : forall i, after place going goes Start w (S i) = Right).
      { induction i; auto. change (goes (after place going goes Start w (S i)) Stay = Right). rewrite IHi. auto. }
      intros [|i]; [simpl; auto | rewrite rest; simpl; auto]. }
    specialize (all w W). rewrite claim_is in all. specialize (all 1). discriminate.
Qed.
End Choosing.

(* A flag that is up, and nothing is taken; a flag that cannot be raised, and is. *)
Theorem nonempty_is_needed :
  let taken := fun (_ : unit) (_ : unit) => False in
  let enabled := fun (_ : unit) (_ : unit) => True in
  let execute := fun (s _ : unit) => s in
  subset_here unit unit enabled execute taken tt /\ independent_here unit unit enabled execute taken tt /\
  invisible_here unit unit enabled execute (fun _ => true) taken tt /\
  wellfounded_here unit unit enabled execute taken tt /\
  reduced_satisfies unit unit execute (fun _ => true) taken tt /\
  ~ whole_satisfies unit unit enabled execute (fun _ => true) tt.
Proof.
  intros taken enabled execute. split; [intros s a _ []|]. split; [intros s w k b _ _ []|].
  split; [intros s w k b _ _ []|]. split; [intros s; constructor; intros t (_ & _ & b & [] & _)|].
  split; [intros w W; destruct (W 0)|].
  intros all. specialize (all (fun _ => tt) (fun _ => I)). rewrite claim_is in all. specialize (all 0). discriminate.
Qed.

Theorem subset_is_needed :
  let taken := fun (_ _ : bool) => True in
  let enabled := fun (_ a : bool) => a = false in
  let execute := fun (s a : bool) => if a then true else s in
  nonempty_here bool bool enabled execute taken false /\ independent_here bool bool enabled execute taken false /\
  invisible_here bool bool enabled execute (fun s => s) taken false /\
  wellfounded_here bool bool enabled execute taken false /\
  whole_satisfies bool bool enabled execute (fun s => s) false /\
  ~ reduced_satisfies bool bool execute (fun s => s) taken false.
Proof.
  intros taken enabled execute.
  assert (all_taken : forall s, everything_taken bool bool enabled taken s) by (intros s a _; exact I).
  split; [intros s a _ _; exists false; exact I|]. split; [intros s w k b _ NE; destruct (NE (all_taken s))|].
  split; [intros s w k b _ NE; destruct (NE (all_taken s))|].
  split; [intros s; constructor; intros t (_ & NE & _); destruct (NE (all_taken s))|]. split.
  - intros w W. apply claim_is. unfold word_of. induction i; simpl; auto. rewrite IHi. specialize (W i). simpl in W.
    unfold enabled in W. unfold execute. rewrite W. reflexivity.
  - intros all. specialize (all (fun _ => true) (fun _ => I)). rewrite claim_is in all.
    specialize (all 1). discriminate.
Qed.
