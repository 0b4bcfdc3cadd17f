(* The ample function of a program satisfies the five conditions.

   In a state the steps of process p suffice if p can move; none of its steps is held here or visible; and no edge
   that leaves its place, whether its guard is true or not, gets into the way of an edge that another process may
   still take from where it is. Processes that are inert need not be asked: those that cannot move now, and that
   nobody can let move but p and other inert ones. The first process that suffices is taken, in any order; if there is
   none, everything is. All of it is computed from the state and the text of the program, and nothing is asked of the
   search.

   Given: edges are honest about what they read and write; an invisible step does not change what the claim sees; what
   "may still reach" contains is closed; and nothing is put off for ever. That is so if what is held are sticky edges
   that, with the visible ones, meet every cycle of control flow; reduction/waivers.v holds fewer. The places where
   src/everafter/reduction does the same are conditions 1 to 5 in the head of ample.py. *)
(* Proves: ample_satisfies_conditions, ample_satisfies_the_others *)
(* Assumes: classic, constructive_indefinite_description (through reduction/cycles.v: an order of the places exists) *)
From Coq Require Import Arith Lia List Bool Classical IndefiniteDescription Wf_nat.
From everafter.reduction Require Import programs cycles conditions.
Import ListNotations.

Section Ample.
Variable P : program.
Variable letter : Type.
Variable label : state -> letter.
Variable held : state -> nat -> nat -> bool.
Variable visible : nat -> nat -> bool.
Variable may_reach : text -> nat -> list nat.
Variable order : state -> list nat.
Variable resting : state -> nat -> list nat.

Hypothesis honest_program : forall t e, In t P -> In e t -> honest e.
Hypothesis invisible_steps : forall s p i, visible p i = false -> can_move P s p i = true ->
  label (execute P s (Step p i)) = label s.
Hypothesis may_stay : forall t place, In place (may_reach t place).
Hypothesis may_go_on : forall t place e, In e t -> In (from e) (may_reach t place) -> In (to e) (may_reach t place).

Definition source_of (t : text) (i : nat) := match nth_error t i with Some e => from e | None => 0 end.
Definition target_of (t : text) (i : nat) := match nth_error t i with Some e => to e | None => 0 end.

(* The edges that leave the place of a process; those that it may still take. *)
Definition leaving (s : state) (p : nat) : list edge :=
  match nth_error P p, nth_error (processes s) p with
  | Some t, Some (place, _) => filter (fun e => from e =? place) t
  | _, _ => []
  end.

Definition future (s : state) (q : nat) : list edge :=
  match nth_error P q, nth_error (processes s) q with
  | Some t, Some (place, _) => filter (fun e => existsb (Nat.eqb (from e)) (may_reach t place)) t
  | _, _ => []
  end.

Definition apart (s : state) (p q : nat) : bool :=
  forallb (fun e => forallb (compatible s p e) (future s q)) (leaving s p).

(* Processes that are thought to be inert are so if each is blocked, and apart from all that are not. *)
Definition undisturbed (s : state) (p : nat) (still : list nat) (r : nat) : bool :=
  match moves P s r with
  | [] => forallb (fun q => (q =? p) || existsb (Nat.eqb q) still || apart s r q) (seq 0 (length P))
  | _ => false
  end.
Definition inert (s : state) (p : nat) : list nat :=
  let still := resting s p in if forallb (undisturbed s p still) still then still else [].

Definition unhindered (s : state) (p q : nat) : bool :=
  (q =? p) || existsb (Nat.eqb q) (inert s p) || apart s p q.

Definition suffices (s : state) (p : nat) : bool :=
  match moves P s p with
  | [] => false
  | some =>
      forallb (fun i => negb (held s p i) && negb (visible p i)) some &&
      forallb (unhindered s p) (seq 0 (length P))
  end.

Definition ample (s : state) : list action :=
  match find (suffices s) (order s) with
  | Some p => map (Step p) (moves P s p)
  | None => enabled_list P s
  end.

Definition taken (s : state) (a : action) := In a (ample s).

Lemma in_existsb : forall p places, existsb (Nat.eqb p) places = true <-> In p places.
Proof.
  intros p places. rewrite existsb_exists. split.
  - intros (q & inside & E). apply Nat.eqb_eq in E. subst. auto.
  - intros inside. exists p. split; auto. apply Nat.eqb_refl.
Qed.

Lemma edge_is_honest : forall p i e, edge_of P p i = Some e -> honest e.
Proof.
  intros p i e E. apply (edge_in_text P) in E as (t & T & I). eapply honest_program; eapply nth_error_In; eauto.
Qed.

Lemma future_listed : forall s q d, In d (future s q) -> In q (seq 0 (length P)).
Proof.
  intros s q d D. apply in_seq. unfold future in D. destruct (nth_error P q) eqn:T; [|destruct D].
  assert (q < length P); [apply nth_error_Some; congruence | lia].
Qed.

Lemma apart_is : forall s p q e d, apart s p q = true -> In e (leaving s p) -> In d (future s q) ->
  compatible s p e d = true.
Proof.
  intros s p q e d A E D. unfold apart in A. rewrite forallb_forall in A. specialize (A e E).
  rewrite forallb_forall in A. auto.
Qed.

(* Those that do not move while the steps of p are put off. *)
Definition frozen (s : state) (p x : nat) := x = p \/ In x (inert s p).

Lemma inert_are : forall s p r, In r (inert s p) -> moves P s r = [] /\
  forall q e d, ~ frozen s p q -> In e (leaving s r) -> In d (future s q) -> compatible s r e d = true.
Proof.
  intros s p r inside. unfold frozen. unfold inert in *. cbv zeta in *.
  destruct (forallb (undisturbed s p (resting s p)) (resting s p)) eqn:U; [|destruct inside].
  rewrite forallb_forall in U. specialize (U r inside). unfold undisturbed in U.
  destruct (moves P s r); [|discriminate]. split; auto. intros q e d awake E D.
  rewrite forallb_forall in U. specialize (U q (future_listed s q d D)).
  apply orb_prop in U as [U|U]; [|eapply apart_is; eauto]. exfalso. apply awake.
  apply orb_prop in U as [U|U]; [left; apply Nat.eqb_eq; auto | right; apply in_existsb; auto].
Qed.

(* What suffices, taken apart. *)
Lemma sufficing : forall s p, suffices s p = true ->
  moves P s p <> [] /\ (forall i, can_move P s p i = true -> held s p i = false /\ visible p i = false) /\
  (forall x q e d, frozen s p x -> ~ frozen s p q -> In e (leaving s x) -> In d (future s q) ->
    compatible s x e d = true).
Proof.
  intros s p S. unfold suffices in S. destruct (moves P s p) as [|i some] eqn:M; [discriminate|].
  apply andb_prop in S as [free others]. split; [discriminate|]. split.
  - intros j can. apply moves_are in can. rewrite M in can. rewrite forallb_forall in free. specialize (free j can).
    apply andb_prop in free as [A B]. apply negb_true_iff in A, B. auto.
  - intros x q e d [->|still] awake E D; [|destruct (inert_are s p x still) as [_ apart_from]; eauto].
    rewrite forallb_forall in others. specialize (others q (future_listed s q d D)). unfold unhindered in others.
    apply orb_prop in others as [U|U]; [|eapply apart_is; eauto]. exfalso. apply awake.
    apply orb_prop in U as [U|U]; [left; apply Nat.eqb_eq; auto | right; apply in_existsb; auto].
Qed.

Lemma reduced_state : forall s, ~ everything_taken state action (enabled P) taken s ->
  exists p, suffices s p = true /\ forall a, taken s a <-> exists i, a = Step p i /\ can_move P s p i = true.
Proof.
  intros s NE. unfold everything_taken, taken, ample in *. destruct (find (suffices s) (order s)) as [p|] eqn:F.
  - exists p. split; [eapply find_some; eauto|]. intros a. rewrite in_map_iff. split.
    + intros (i & <- & M). exists i. split; auto. apply moves_are. auto.
    + intros (i & -> & can). exists i. split; auto. apply moves_are. auto.
  - exfalso. apply NE. auto.
Qed.

(* While the steps of p are put off: the frozen ones stay and can do what they could, others may only do what they may
   still do, and that stays compatible with what the frozen ones could do. *)
Record waiting (s t : state) (p : nat) : Prop := {
  stays : forall x, frozen s p x -> nth_error (processes t) x = nth_error (processes s) x;
  can_still : forall x i, frozen s p x -> can_move P t x i = can_move P s x i;
  still_compatible : forall x q e d, frozen s p x -> ~ frozen s p q -> In e (leaving s x) -> In d (future s q) ->
    compatible t x e d = true;
  goes_on : forall q text there locals, nth_error P q = Some text -> nth_error (processes t) q = Some (there, locals) ->
    exists here before, nth_error (processes s) q = Some (here, before) /\ In there (may_reach text here) }.

Lemma waits_at_first : forall s p, suffices s p = true -> waiting s s p.
Proof.
  intros s p S. destruct (sufficing s p S) as (_ & _ & compatibility). split; auto.
  intros. eexists _, _. split; eauto.
Qed.

Lemma leaving_is : forall s x i e place locals, edge_of P x i = Some e ->
  nth_error (processes s) x = Some (place, locals) -> from e = place -> In e (leaving s x).
Proof.
  intros s x i e place locals E Q here. unfold leaving. apply (edge_in_text P) in E as (text & T & I). rewrite T, Q.
  apply filter_In. split; [eapply nth_error_In; eauto | apply Nat.eqb_eq; auto].
Qed.

Lemma leaving_honest : forall s x e, In e (leaving s x) -> honest e.
Proof.
  intros s x e E. unfold leaving in E. destruct (nth_error P x) as [text|] eqn:T; [|destruct E].
  destruct (nth_error (processes s) x) as [[place locals]|]; [|destruct E]. apply filter_In in E as [E _].
  eapply honest_program; eauto. eapply nth_error_In. eauto.
Qed.

Lemma in_future : forall s t p q j d, waiting s t p -> edge_of P q j = Some d -> can_move P t q j = true ->
  In d (future s q).
Proof.
  intros s t p q j d W D can. destruct (moving P t q j can) as (d' & there & m & c & y & D' & Q & at_place & _).
  rewrite D in D'. injection D' as <-. apply (edge_in_text P) in D as (text & T & I).
  destruct (goes_on s t p W q text there m T Q) as (here & before & H & reach).
  unfold future. rewrite T, H. apply filter_In. split; [eapply nth_error_In; eauto|].
  apply in_existsb. rewrite at_place. exact reach.
Qed.

Lemma still_waiting : forall s t p q j, suffices s p = true -> waiting s t p -> ~ frozen s p q ->
  can_move P t q j = true -> waiting s (execute P t (Step q j)) p.
Proof.
  intros s t p q j S W awake can.
  destruct (moving P t q j can) as (d & there & m & c & y & D & Q & at_place & _ & _ & M).
  pose proof (in_future s t p q j d W D can) as F. pose proof (edge_is_honest q j d D) as Hd.
  assert (others : forall x, frozen s p x -> x <> q) by (intros x X ->; auto).
  split.
  - intros x X. rewrite M. cbn [moved processes]. rewrite update_other by (intros <-; auto). apply W. auto.
  - intros x i X. rewrite <- (can_still s t p W x i X). destruct (edge_of P x i) as [e|] eqn:E.
    + destruct (nth_error (processes s) x) as [[place l]|] eqn:R.
      * destruct (Nat.eq_dec (from e) place) as [here|away].
        -- apply (step_leaves P t x q i j e d); auto; [apply (edge_is_honest x i e E)|].
           apply (still_compatible s t p W x q); auto. eapply leaving_is; eauto.
        -- unfold can_move. rewrite E, M. cbn [moved processes]. rewrite update_other by (intros <-; auto).
           rewrite (stays s t p W x X), R. destruct (Nat.eqb_spec (from e) place); [congruence | reflexivity].
      * unfold can_move. rewrite E, M. cbn [moved processes]. rewrite update_other by (intros <-; auto).
        rewrite (stays s t p W x X), R. reflexivity.
    + unfold can_move. rewrite E. reflexivity.
  - intros x r e next X R E N.
    apply (compatible_persists P t x q j e d next); auto; [eapply leaving_honest; eauto | |].
    + apply (still_compatible s t p W x q); auto.
    + apply (still_compatible s t p W x r); auto.
  - intros r text spot locals T R. rewrite M in R. cbn [moved processes] in R. destruct (Nat.eq_dec r q) as [->|other].
    + rewrite (update_same _ _ _ _ (there, m)) in R by auto. injection R as <- <-.
      destruct (goes_on s t p W q text there m T Q) as (here & before & H & reach).
      exists here, before. split; auto. apply may_go_on; [|rewrite at_place; auto].
      apply (edge_in_text P) in D as (text' & T' & I). rewrite T in T'. injection T' as <-. eapply nth_error_In; eauto.
    + rewrite update_other in R by auto. eapply (goes_on s t p W); eauto.
Qed.

Lemma others_move : forall s t p a, suffices s p = true -> waiting s t p ->
  (forall i, can_move P s p i = true -> a <> Step p i) -> enabled P t a ->
  exists q j, a = Step q j /\ ~ frozen s p q /\ can_move P t q j = true.
Proof.
  intros s t p a S W avoided E. destruct (sufficing s p S) as (some & _). destruct a as [|q j].
  - exfalso. apply some. destruct (moves P s p) as [|i more] eqn:M; auto. exfalso.
    assert (can : can_move P s p i = true) by (apply moves_are; rewrite M; simpl; auto).
    rewrite <- (can_still s t p W p i), (stutter_enabled P t E p i) in can by (left; auto). discriminate.
  - apply step_enabled in E. exists q, j. split; auto. split; auto. intros F.
    rewrite (can_still s t p W q j F) in E. destruct F as [->|still].
    + apply (avoided j E). reflexivity.
    + destruct (inert_are s p q still) as [none _]. apply moves_are in E. rewrite none in E. destruct E.
Qed.

Lemma waits_along : forall s p w k, suffices s p = true -> possible_until state action (enabled P) (execute P) s w k ->
  (forall i, i < k -> forall j, can_move P s p j = true -> w i <> Step p j) ->
  waiting s (after state action (execute P) s w k) p.
Proof.
  intros s p w k S. induction k; intros possible avoided; simpl; [apply waits_at_first; auto|].
  assert (W : waiting s (after state action (execute P) s w k) p).
  { apply IHk; [intros i less; apply possible; lia | intros i less; apply avoided; lia]. }
  destruct (others_move s _ p (w k) S W) as (q & j & -> & awake & can);
    [apply avoided; lia | apply possible; lia |].
  apply still_waiting; auto.
Qed.

Lemma avoided_steps : forall s p w k,
  (forall a, taken s a <-> exists i, a = Step p i /\ can_move P s p i = true) -> (forall i, i < k -> ~ taken s (w i)) ->
  forall i, i < k -> forall j, can_move P s p j = true -> w i <> Step p j.
Proof. intros s p w k T avoided i less j can E. apply (avoided i less), T. eauto. Qed.

(* That nothing is put off for ever is the business of those who say what is held; the rest is proved here. *)
Theorem ample_satisfies_the_others : forall initial,
  wellfounded_holds state action initial (enabled P) (execute P) taken ->
  conditions state action letter initial (enabled P) (execute P) label taken.
Proof.
  intros initial ends. split; [| | | |exact ends].
  - intros s a _ T. unfold taken, ample in T. destruct (find (suffices s) (order s)) as [p|]; [|exact T].
    apply in_map_iff in T as (i & <- & M). apply step_enabled, moves_are. auto.
  - intros s a _ _. unfold taken, ample. destruct (find (suffices s) (order s)) as [p|] eqn:F.
    + apply find_some in F as [_ S]. destruct (sufficing s p S) as (some & _).
      destruct (moves P s p) as [|i more]; [congruence|]. exists (Step p i). simpl. auto.
    + pose proof (something_enabled P s).
      destruct (enabled_list P s) as [|b more]; [congruence|]. exists b. simpl. auto.
  - intros s w k b _ NE B [possible avoided]. destruct (reduced_state s NE) as (p & S & T).
    pose proof (avoided_steps s p w (Datatypes.S k) T avoided) as away.
    assert (W : waiting s (after state action (execute P) s w k) p).
    { apply waits_along; [exact S | intros i less; apply possible; lia | intros i less; apply away; lia]. }
    apply T in B as (i & -> & can). rewrite <- (can_still _ _ _ W p i) in can by (left; auto).
    destruct (others_move s _ p (w k) S W) as (q & j & -> & awake & theirs);
      [apply away; lia | apply possible; lia |].
    assert (different : q <> p) by (intros ->; apply awake; left; auto).
    intros _ _. destruct (moving P _ p i can) as (e & place & l & c & x & E & Q & at_place & _).
    destruct (moving P _ q j theirs) as (d & _ & _ & _ & _ & D & _).
    assert (I : compatible (after state action (execute P) s w k) p e d = true).
    { apply (still_compatible _ _ _ W p q); auto; [left; auto | | eapply in_future; eauto].
      rewrite (stays _ _ _ W p) in Q by (left; auto). eapply leaving_is; eauto. }
    rewrite !step_enabled. destruct (steps_commute P (after state action (execute P) s w k) p q i j e d)
      as (A1 & A2 & A3); auto.
    + apply (edge_is_honest p i e E).
    + apply (edge_is_honest q j d D).
  - intros s w k b _ NE B [possible avoided] E. destruct (reduced_state s NE) as (p & S & T).
    apply T in B as (i & -> & can). destruct (sufficing s p S) as (_ & free & _).
    apply invisible_steps; [apply (free i can) | apply step_enabled; auto].
Qed.

(* What is held in every state: sticky edges. *)
Section Sticky.
Variable sticky : nat -> nat -> bool.
Hypothesis held_are_sticky : forall s p i, held s p i = sticky p i.
Hypothesis cycles_are_cut : forall p t, nth_error P p = Some t ->
  meets_every_cycle (source_of t) (target_of t) (seq 0 (length t)) (fun i => sticky p i = true \/ visible p i = true).

(* Every step that is taken alone leads down in the order of the places; so the sum over all processes falls. *)
Fixpoint height (ranks : nat -> nat -> nat) (p : nat) (all : list (nat * store)) : nat :=
  match all with [] => 0 | (place, _) :: others => ranks p place + height ranks (S p) others end.

Lemma height_falls : forall ranks all p k place locals next, nth_error all p = Some (place, locals) ->
  ranks (k + p) (fst next) < ranks (k + p) place -> height ranks k (update all p next) < height ranks k all.
Proof.
  intros ranks. induction all as [|[here l] all IH]; intros [|p] k place locals [there m] found less; try discriminate.
  - injection found as -> ->. simpl in *. rewrite Nat.add_0_r in less. lia.
  - simpl in *. assert (height ranks (S k) (update all p (there, m)) < height ranks (S k) all); [|lia].
    eapply IH; eauto. replace (S k + p) with (k + S p) by lia. exact less.
Qed.

Lemma ranks_exist : exists ranks, forall p t, nth_error P p = Some t ->
  leads_down (source_of t) (target_of t) (seq 0 (length t)) (fun i => sticky p i = true \/ visible p i = true)
    (ranks p).
Proof.
  apply (functional_choice (fun p (rank : nat -> nat) => forall t, nth_error P p = Some t ->
    leads_down (source_of t) (target_of t) (seq 0 (length t)) (fun i => sticky p i = true \/ visible p i = true) rank)).
  intros p. destruct (nth_error P p) as [t|] eqn:T.
  - destruct (order_exists nat (source_of t) (target_of t) (seq 0 (length t)) _ (cycles_are_cut p t T))
      as (rank & down).
    exists rank. intros t' E. injection E as <-. auto.
  - exists (fun _ => 0). discriminate.
Qed.

(* Proof of everafter.reduction.ample.Reduction.suffices *)
Theorem ample_satisfies_conditions : forall initial,
  conditions state action letter initial (enabled P) (execute P) label taken.
Proof.
  intros initial. apply ample_satisfies_the_others.
  destruct ranks_exist as (ranks & down).
  apply (well_founded_lt_compat _ (fun s => height ranks 0 (processes s))).
  intros t s (_ & NE & b & B & ->). destruct (reduced_state s NE) as (p & S & T).
  destruct (proj1 (T b) B) as (i & E0 & can). subst b. destruct (sufficing s p S) as (_ & free & _).
  destruct (free i can) as [loose unseen]. rewrite held_are_sticky in loose.
  destruct (moving P s p i can) as (e & place & l & c & x & E & Q & at_place & _ & _ & ->). cbn [moved processes].
  apply (edge_in_text P) in E as (text & TX & N). apply (height_falls ranks _ _ _ place l); auto. simpl.
  assert (inside : In i (seq 0 (length text))).
  { apply in_seq. assert (i < length text); [apply nth_error_Some; congruence | lia]. }
  specialize (down p text TX i inside). unfold source_of, target_of in down. rewrite N in down.
  rewrite at_place in down. apply down. intros [C|C]; congruence.
Qed.
End Sticky.
End Ample.
