(* Waivers: sticky operations on a channel that may be taken alone.

   What is received in a cycle of states is sent in it, and what is sent is received, or the channel would not hold what
   it held. So a sticky send or receive may be taken alone where no process with the same number or a higher one may
   still do the opposite on the channel: if there were a cycle of states in all of which something is left out, look at
   the process of the lowest number that moves in it. Its steps are a closed walk through its places and local
   variables; such a walk has a sticky edge, and that is not waived, since nobody of a lower number moves.

   That is also why sticky edges need only be met by closed walks in this sense, with local variables: a loop that
   counts (reduction/counting.v) is none. States are finitely many here, as in every program that can be searched. *)
(* Proves: no_cycle_of_steps_alone, waivers_satisfy_conditions *)
(* Assumes: classic, constructive_indefinite_description (only waivers_satisfy_conditions, by reduction/finite.v) *)
From Coq Require Import Arith Lia List Bool.
From everafter.search Require Import ranking.
From everafter.reduction Require Import channels programs conditions ample finite.
Import ListNotations.

(* Walks of one process with so many local variables, whatever others do between its steps. *)
Definition local_step (t : text) (wide : nat) (i : nat) (a b : nat * store) := exists e x g, nth_error t i = Some e /\
  from e = fst a /\ length (snd a) = wide /\ guard e (snd a) g = true /\ b = (to e, fst (effect e x (snd a) g)).
Fixpoint local_walk (t : text) (wide : nat) (a : nat * store) (walk : list nat) (b : nat * store) : Prop :=
  match walk with
  | [] => a = b
  | i :: others => exists c, local_step t wide i a c /\ local_walk t wide c others b
  end.
Definition meets_every_local_cycle (t : text) (wide : nat) (cut : nat -> Prop) := forall a walk,
  walk <> [] -> local_walk t wide a walk a -> exists i, In i walk /\ cut i.

Section Waivers.
Variable P : program.
Variable letter : Type.
Variable label : state -> letter.
Variables sticky visible : nat -> nat -> bool.
Variable may_reach : text -> nat -> list nat.
Variable order : state -> list nat.
Variable resting : state -> nat -> list nat.

Hypothesis honest_program : forall t e, In t P -> In e t -> honest e.
Hypothesis may_stay : forall t place, In place (may_reach t place).
Hypothesis may_go_on : forall t place e, In e t -> In (from e) (may_reach t place) -> In (to e) (may_reach t place).
Variable wide : nat -> nat.
Hypothesis cycles_are_cut : forall p t, nth_error P p = Some t ->
  meets_every_local_cycle t (wide p) (fun i => sticky p i = true \/ visible p i = true).

(* A message that is lost is not received. *)
Definition may_be_waived (mine : kind) : bool :=
  match mine with Sends loses => negb loses | Receives removes => removes end.
Definition opposite (mine theirs : kind) : bool :=
  match mine, theirs with Receives _, Sends _ => true | Sends _, Receives removes => removes | _, _ => false end.
Definition undoes (u : use) (d : edge) : bool :=
  match uses d with Some v => (channel v =? channel u) && opposite (sort u) (sort v) | None => false end.
Definition waived (s : state) (p i : nat) : bool :=
  match edge_of P p i with
  | Some e =>
      match uses e with
      | Some u => may_be_waived (sort u) &&
          forallb (fun q => (q <? p) || forallb (fun d => negb (undoes u d)) (future P may_reach s q))
            (seq 0 (length P))
      | None => false
      end
  | None => false
  end.
Definition held (s : state) (p i : nat) : bool := sticky p i && negb (waived s p i).

(* Every process has as many local variables as it has. *)
Definition fitting (s : state) := forall p place l, nth_error (processes s) p = Some (place, l) -> length l = wide p.

Fixpoint goes (s : state) (steps : list (nat * nat)) (t : state) : Prop :=
  match steps with
  | [] => s = t
  | (p, i) :: others => (fitting s /\ can_move P s p i = true) /\ held s p i = false /\ visible p i = false /\
      goes (execute P s (Step p i)) others t
  end.

Lemma goes_on_with : forall a b s t, goes s (a ++ b) t <-> exists u, goes s a u /\ goes u b t.
Proof.
  induction a as [|[p i] a IH]; intros b s t; simpl.
  - split; [intros G; exists s; auto | intros (u & <- & G); auto].
  - rewrite IH. split.
    + intros (A & B & D & u & E & F). exists u. auto.
    + intros (u & (A & B & D & E) & F). split; auto. split; auto. split; auto. exists u. auto.
Qed.

Lemma turned : forall a x b s, goes s (a ++ x :: b) s -> exists u, goes u (x :: b ++ a) u.
Proof.
  intros a x b s round. apply goes_on_with in round as (u & A & B). exists u.
  change (x :: b ++ a) with ((x :: b) ++ a). apply goes_on_with. eauto.
Qed.

Lemma lowest : forall steps : list (nat * nat), steps <> [] ->
  exists p i, In (p, i) steps /\ forall q j, In (q, j) steps -> p <= q.
Proof.
  induction steps as [|[p i] [|x others] IH]; intros some; [congruence| |].
  - exists p, i. split; [simpl; auto|]. intros q j [E|[]]. injection E as <- <-. auto.
  - destruct IH as (q & j & inside & least); [discriminate|]. destruct (le_lt_dec p q) as [le|less].
    + exists p, i. split; [simpl; auto|]. intros r k [E|R]; [injection E as <- <-; auto|].
      specialize (least r k R). lia.
    + exists q, j. split; [simpl; auto|]. intros r k [E|R]; [injection E as <- <-; lia | eauto].
Qed.

(* The steps of a process among these, and what they are to it. *)
Definition own (p : nat) (steps : list (nat * nat)) : list nat := map snd (filter (fun x => fst x =? p) steps).

Lemma own_are : forall p i steps, In i (own p steps) <-> In (p, i) steps.
Proof.
  intros p i steps. unfold own. rewrite in_map_iff. split.
  - intros ([q j] & <- & inside). apply filter_In in inside as [inside E]. apply Nat.eqb_eq in E. simpl in *.
    subst. auto.
  - intros inside. exists (p, i). split; auto. apply filter_In. split; auto. apply Nat.eqb_refl.
Qed.

Lemma own_walk : forall p t, nth_error P p = Some t -> forall steps s u a, goes s steps u ->
  nth_error (processes s) p = Some a ->
  exists b, nth_error (processes u) p = Some b /\ local_walk t (wide p) a (own p steps) b.
Proof.
  intros p t T. induction steps as [|[q j] others IH]; intros s u a G A; cbn [goes] in G.
  - subst. exists a. split; auto. reflexivity.
  - destruct G as ([fit can] & _ & _ & G).
    destruct (moving P s q j can) as (e & place & l & c & x & E & Q & here & open & _ & M).
    rewrite M in G. unfold own. simpl. destruct (Nat.eqb_spec q p) as [->|other].
    + rewrite A in Q. injection Q as ->.
      destruct (IH _ u (to e, fst (effect e x l (globals s))) G) as (b & B & W).
      { cbn [moved processes]. apply (update_same _ _ _ _ (place, l)). auto. }
      exists b. split; auto. simpl. exists (to e, fst (effect e x l (globals s))). split; auto.
      apply edge_in_text in E as (t' & T' & I). rewrite T in T'. injection T' as <-.
      exists e, x, (globals s). repeat split; auto. apply (fit p place l A).
    + destruct (IH _ u a G) as (b & B & W); [cbn [moved processes]; rewrite update_other; auto|]. eauto.
Qed.

(* Where processes may be, after some of these steps. *)
Definition from_there (u v : state) := forall q t there l, nth_error P q = Some t ->
  nth_error (processes v) q = Some (there, l) ->
  exists here before, nth_error (processes u) q = Some (here, before) /\ In there (may_reach t here).

Lemma still_from_there : forall u v q j, from_there u v -> can_move P v q j = true ->
  from_there u (execute P v (Step q j)) /\ forall e, edge_of P q j = Some e -> In e (future P may_reach u q).
Proof.
  intros u v q j F can. destruct (moving P v q j can) as (e & place & l & c & x & E & Q & here & _ & _ & M).
  apply edge_in_text in E as (t & T & I). destruct (F q t place l T Q) as (spot & before & U & reach).
  split.
  - rewrite M. intros r t' there m T' R. cbn [moved processes] in R. destruct (Nat.eq_dec r q) as [->|other].
    + rewrite (update_same _ _ _ _ (place, l)) in R by auto. injection R as <- <-. rewrite T in T'. injection T' as <-.
      exists spot, before. split; auto. apply may_go_on; [eapply nth_error_In; eauto | rewrite here; auto].
    + rewrite update_other in R by auto. eauto.
  - intros e' E'. unfold edge_of in E'. rewrite T, I in E'. injection E' as <-. unfold future. rewrite T, U.
    apply filter_In. split; [eapply nth_error_In; eauto|]. apply in_existsb. rewrite here. exact reach.
Qed.

(* How many messages are in a channel. *)
Definition size (s : state) (n : nat) : nat := match nth_error (channels s) n with Some q => length q | None => 0 end.

Definition drift (mine : kind) (before after : nat) : Prop :=
  match mine with Receives _ => after <= before | Sends _ => before <= after end.
Definition moves_on (mine : kind) (before after : nat) : Prop :=
  match mine with Receives _ => after < before | Sends _ => before < after end.

Lemma performed : forall (o : operation message) q r x, perform o q = Some (r, x) ->
  match kind_of o with
  | Sends loses => length r = S (length q) \/ (loses = true /\ r = q)
  | Receives removes => if removes then length q = S (length r) else r = q
  end.
Proof.
  intros [capacity loses m|anywhere removes wanted] q r x E; simpl in *.
  - destruct (length q <? capacity); [injection E as <- <-; left; rewrite app_length; simpl; lia|].
    destruct loses; [|discriminate]. injection E as <- <-. auto.
  - destruct (found message anywhere wanted q) as [[[before y] behind]|] eqn:F; [|discriminate]. injection E as <- <-.
    destruct removes; auto. apply found_parts in F. subst q. rewrite !app_length. simpl. lia.
Qed.

Lemma step_drifts : forall s q j u e, can_move P s q j = true -> edge_of P q j = Some e -> undoes u e = false ->
  drift (sort u) (size s (channel u)) (size (execute P s (Step q j)) (channel u)).
Proof.
  intros s q j u e can E apart. destruct (moving P s q j can) as (e' & place & l & c & x & E' & Q & _ & _ & U & M).
  rewrite E in E'. injection E' as <-. rewrite M. unfold size. cbn [moved channels]. unfold used in U.
  assert (He : honest e) by (eapply edge_is_honest; eauto).
  unfold undoes in apart. destruct (uses e) as [v|] eqn:V; [|injection U as <- <-; destruct (sort u); simpl; auto].
  destruct (nth_error (channels s) (channel v)) as [r|] eqn:R; [|discriminate].
  destruct (perform (operates v l (globals s)) r) as [[r' y]|] eqn:B; [|discriminate]. injection U as <- <-.
  destruct (Nat.eqb_spec (channel v) (channel u)) as [same|other].
  - rewrite <- same, (update_same _ _ _ _ r), R by auto. apply performed in B. rewrite (use_sort e He v l _ V) in B.
    simpl in apart. destruct (sort u) as [mine|mine], (sort v) as [theirs|[|]]; simpl in *; try discriminate;
      try (subst; lia).
    destruct B as [->|[_ ->]]; lia.
  - rewrite update_other by auto. destruct (sort u); simpl; auto.
Qed.

Lemma waived_step_moves : forall s p i u e, can_move P s p i = true -> edge_of P p i = Some e -> uses e = Some u ->
  may_be_waived (sort u) = true -> moves_on (sort u) (size s (channel u)) (size (execute P s (Step p i)) (channel u)).
Proof.
  intros s q j u e can E V may. destruct (moving P s q j can) as (e' & place & l & c & x & E' & Q & _ & _ & U & M).
  rewrite E in E'. injection E' as <-. rewrite M. unfold size. cbn [moved channels]. unfold used in U. rewrite V in U.
  assert (He : honest e) by (eapply edge_is_honest; eauto).
  destruct (nth_error (channels s) (channel u)) as [r|] eqn:R; [|discriminate].
  destruct (perform (operates u l (globals s)) r) as [[r' y]|] eqn:B; [|discriminate]. injection U as <- <-.
  rewrite (update_same _ _ _ _ r) by auto. apply performed in B. rewrite (use_sort e He u l _ V) in B.
  destruct (sort u) as [loses|removes]; simpl in *.
  - destruct B as [->|[-> _]]; [lia | discriminate].
  - rewrite may in B. lia.
Qed.

Lemma all_drift : forall u s steps v t,
  (forall q j e, In (q, j) steps -> In e (future P may_reach s q) -> undoes u e = false) ->
  from_there s v -> goes v steps t -> drift (sort u) (size v (channel u)) (size t (channel u)).
Proof.
  intros u s. induction steps as [|[q j] others IH]; intros v t apart F G; cbn [goes] in G.
  - subst. destruct (sort u); simpl; auto.
  - destruct G as ([fit can] & _ & _ & G). destruct (still_from_there s v q j F can) as [F' inside].
    destruct (moving P v q j can) as (e & _ & _ & _ & _ & E & _).
    pose proof (step_drifts v q j u e can E (apart q j e (or_introl eq_refl) (inside e E))) as one.
    specialize (IH _ t (fun r k d R => apart r k d (or_intror R)) F' G).
    destruct (sort u); simpl in *; lia.
Qed.

(* Proof of everafter.reduction.ample._Asked._is_waived *)
Theorem no_cycle_of_steps_alone : forall s steps, steps <> [] -> ~ goes s steps s.
Proof.
  intros s0 steps0 some round0. destruct (lowest steps0 some) as (p & i0 & inside & least0).
  apply in_split in inside as (first & last & ->). apply turned in round0 as (s & round).
  set (steps := (p, i0) :: last ++ first) in *.
  assert (least : forall q j, In (q, j) steps -> p <= q).
  { intros q j [E|Q]; [injection E as <- <-; auto|]. apply (least0 q j). apply in_or_app.
    apply in_app_or in Q as [Q|Q]; simpl; auto. }
  pose proof round as ([_ can0] & _).
  destruct (moving P s p i0 can0) as (e0 & place & l & _ & _ & E0 & A & _). apply edge_in_text in E0 as (t & T & _).
  destruct (own_walk p t T steps s s (place, l) round A) as (b & B & walk). rewrite A in B. injection B as <-.
  destruct (cycles_are_cut p t T (place, l) (own p steps)) as (i & on & cut); auto.
  { unfold own, steps. simpl. rewrite Nat.eqb_refl. discriminate. }
  apply own_are, in_split in on as (before & behind & split). rewrite split in round, least.
  apply turned in round as (u & [fit can] & free & unseen & round).
  destruct cut as [S|V]; [|congruence]. unfold held in free. rewrite S in free. simpl in free.
  apply negb_false_iff in free.
  unfold waived in free. destruct (edge_of P p i) as [e|] eqn:E; [|discriminate].
  destruct (uses e) as [w|] eqn:U; [|discriminate]. apply andb_prop in free as [may nobody].
  pose proof (waived_step_moves u p i w e can E U may) as moved.
  assert (drifts : drift (sort w) (size (execute P u (Step p i)) (channel w)) (size u (channel w))).
  { apply (all_drift w u (behind ++ before)); auto.
    - intros q j d Q D. rewrite forallb_forall in nobody. specialize (nobody q (future_listed P may_reach u q d D)).
      assert (le : p <= q).
      { apply (least q j). apply in_or_app. apply in_app_or in Q as [Q|Q]; simpl; auto. }
      destruct (Nat.ltb_spec q p); [lia|]. simpl in nobody. rewrite forallb_forall in nobody.
      apply negb_true_iff, nobody, D.
    - apply still_from_there; auto. intros q text there m _ Q. eauto. }
  destruct (sort w); simpl in *; lia.
Qed.

(* The ample function that holds what is sticky and not waived. *)
Definition ample_with_waivers := ample P held visible may_reach order resting.
Hypothesis invisible_steps : forall s p i, visible p i = false -> can_move P s p i = true ->
  label (execute P s (Step p i)) = label s.

Lemma way_goes : forall initial s t,
  (forall s, reachable state action initial (enabled P) (execute P) s -> fitting s) ->
  way (taken_alone state action initial (enabled P) (execute P)
  (fun s a => In a (ample_with_waivers s))) s t -> exists steps, steps <> [] /\ goes s steps t.
Proof.
  intros initial s t fit path.
  assert (one : forall s t, taken_alone state action initial (enabled P) (execute P)
    (fun s a => In a (ample_with_waivers s)) s t -> exists x, goes s [x] t).
  { intros a b (R & NE & c & T & ->). destruct (reduced_state P held visible may_reach order resting a NE)
      as (p & S & alone). destruct (proj1 (alone c) T) as (i & E & can). rewrite E.
    destruct (sufficing P held visible may_reach resting a p S) as (_ & free & _). destruct (free i can).
    exists (p, i). simpl. auto 6. }
  induction path as [a b step|a b c step _ (steps & _ & G)]; destruct (one _ _ step) as (x & X).
  - exists [x]. split; [discriminate | auto].
  - exists ([x] ++ steps). split; [discriminate|]. apply goes_on_with. eauto.
Qed.

Theorem waivers_satisfy_conditions : forall initial states,
  (forall s, reachable state action initial (enabled P) (execute P) s -> In s states) ->
  (forall s, reachable state action initial (enabled P) (execute P) s -> fitting s) ->
  conditions state action letter initial (enabled P) (execute P) label (fun s a => In a (ample_with_waivers s)).
Proof.
  intros initial states finite fit.
  apply (ample_satisfies_the_others P letter label held visible may_reach order resting); auto.
  apply (no_cycle_is_wellfounded state action initial (enabled P) (execute P) _ states finite).
  intros s round. apply way_goes in round as (steps & some & G); auto. exact (no_cycle_of_steps_alone s steps some G).
Qed.
End Waivers.
