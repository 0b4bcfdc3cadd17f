(* Sticky edges found by a depth-first search: back edges, with those given, meet every cycle.

   The search is a program, and runs: one step at a time, over a stack of places with the edges of each that are still
   to be looked at. An edge that leads to a place on the stack is a back edge. Given edges (those never taken alone
   anyway) are left out of the search. Proved: it ends, after at most as many steps as it weighs at the start; and the
   back edges with the given ones meet every cycle, since every other edge leads to a place that is finished earlier. *)
(* Proves: search_ends, back_edges_meet_every_cycle *)
(* Assumes: classic (only back_edges_meet_every_cycle, through reduction/cycles.v) *)
From Coq Require Import Arith Lia List Bool.
From everafter.reduction Require Import cycles.
Import ListNotations.

Section Search.
Variable edge : Type.
Variables source target : edge -> nat.
Variable edges : list edge.
Variable given : edge -> bool.

Definition outgoing (p : nat) : list edge := filter (fun e => (source e =? p) && negb (given e)) edges.
Definition mem (p : nat) (places : list nat) : bool := existsb (Nat.eqb p) places.

Record search := { roots : list nat; stack : list (nat * list edge); finished : list nat; back : list edge }.

Definition path (s : search) := map fst (stack s).

Definition step (s : search) : option search :=
  match stack s with
  | [] =>
      match roots s with
      | [] => None
      | p :: others =>
          if mem p (finished s) then Some {| roots := others; stack := []; finished := finished s; back := back s |}
          else Some {| roots := others; stack := [(p, outgoing p)]; finished := finished s; back := back s |}
      end
  | (p, []) :: below => Some {| roots := roots s; stack := below; finished := p :: finished s; back := back s |}
  | (p, e :: later) :: below =>
      let on := (p, later) :: below in
      if mem (target e) (path s) then
        Some {| roots := roots s; stack := on; finished := finished s; back := e :: back s |}
      else if mem (target e) (finished s) then
        Some {| roots := roots s; stack := on; finished := finished s; back := back s |}
      else
        let pushed := (target e, outgoing (target e)) in
        Some {| roots := roots s; stack := pushed :: on; finished := finished s; back := back s |}
  end.

Fixpoint search_for (steps : nat) (s : search) : option search :=
  match step s with
  | None => Some s
  | Some next => match steps with 0 => None | S fewer => search_for fewer next end
  end.

Definition begin : search := {| roots := map source edges; stack := []; finished := []; back := [] |}.

(* What is still to be done weighs something, and less after each step. *)
Definition places := map source edges ++ map target edges.
Definition discovered (s : search) (p : nat) := mem p (path s) || mem p (finished s).
Fixpoint undiscovered_weight (known : nat -> bool) (listed : list nat) : nat :=
  match listed with
  | [] => 0
  | p :: others => (if known p then 0 else 2 + length (outgoing p)) + undiscovered_weight known others
  end.
Fixpoint stack_weight (frames : list (nat * list edge)) : nat :=
  match frames with [] => 0 | (_, later) :: below => 1 + length later + stack_weight below end.
Definition weight (s : search) :=
  length (roots s) + stack_weight (stack s) + undiscovered_weight (discovered s) places.

Definition back_edges : list edge :=
  match search_for (weight begin) begin with Some s => back s | None => edges end.

Lemma mem_is_in : forall p listed, mem p listed = true <-> In p listed.
Proof.
  intros p listed. unfold mem. rewrite existsb_exists. split.
  - intros (q & inside & equal). apply Nat.eqb_eq in equal. subst. auto.
  - intros inside. exists p. split; auto. apply Nat.eqb_refl.
Qed.

Lemma outgoing_is : forall e p, In e (outgoing p) <-> In e edges /\ source e = p /\ given e = false.
Proof.
  intros e p. unfold outgoing. rewrite filter_In, andb_true_iff, negb_true_iff, Nat.eqb_eq. tauto.
Qed.

Lemma knowing_more_weighs_less : forall (known more : nat -> bool) listed,
  (forall p, known p = true -> more p = true) -> undiscovered_weight more listed <= undiscovered_weight known listed.
Proof.
  intros known more listed implies. induction listed as [|p listed IH]; simpl; auto.
  destruct (known p) eqn:K; [rewrite (implies p K); lia|]. destruct (more p); simpl; lia.
Qed.

Lemma discovery_weighs : forall (known more : nat -> bool) listed p, (forall q, known q = true -> more q = true) ->
  In p listed -> known p = false -> more p = true ->
  undiscovered_weight more listed + 2 + length (outgoing p) <= undiscovered_weight known listed.
Proof.
  intros known more listed p implies. induction listed as [|q listed IH]; simpl; [tauto|].
  intros [->|inside] K M.
  - rewrite K, M. pose proof (knowing_more_weighs_less known more listed implies) as le. lia.
  - specialize (IH inside K M).
    destruct (known q) eqn:KQ; [rewrite (implies q KQ); lia|]. destruct (more q); simpl; lia.
Qed.

(* What is true all along. *)
Fixpoint frames_fit (known : list nat) (found : list edge) (above : option nat) (frames : list (nat * list edge)) :=
  match frames with
  | [] => True
  | (p, later) :: below =>
      (forall e, In e (outgoing p) -> In e later \/ In e found \/ In (target e) known \/ above = Some (target e)) /\
      frames_fit known found (Some p) below
  end.

Fixpoint in_order (found : list edge) (known : list nat) :=
  match known with
  | [] => True
  | p :: earlier => (forall e, In e (outgoing p) -> In e found \/ In (target e) earlier) /\ in_order found earlier
  end.

Record sound (s : search) : Prop := {
  roots_are_places : incl (roots s) places;
  frames_are_edges : forall p later, In (p, later) (stack s) -> incl later edges;
  frames_are_right : frames_fit (finished s) (back s) None (stack s);
  finished_in_order : in_order (back s) (finished s);
  sources_are_met : forall e, In e edges ->
    In (source e) (roots s) \/ In (source e) (path s) \/ In (source e) (finished s) }.

Lemma frames_fit_more : forall known known' found found' frames above,
  incl known known' -> incl found found' ->
  frames_fit known found above frames -> frames_fit known' found' above frames.
Proof.
  intros known known' found found' frames. induction frames as [|[p later] below IH]; simpl; auto.
  intros above K F [fits others]. split; [|apply IH; auto].
  intros e E. destruct (fits e E) as [?|[?|[?|?]]]; auto.
Qed.

Lemma frames_fit_finished : forall known found p frames,
  frames_fit known found (Some p) frames -> frames_fit (p :: known) found None frames.
Proof.
  intros known found p [|[q later] below]; simpl; auto. intros [fits others]. split.
  - intros e E. destruct (fits e E) as [?|[?|[?|up]]]; auto. injection up as ->. auto.
  - apply (frames_fit_more known (p :: known) found found); auto using incl_refl, incl_tl.
Qed.

Lemma in_order_more : forall found found' known, incl found found' -> in_order found known -> in_order found' known.
Proof.
  intros found found' known sub. induction known as [|p earlier IH]; simpl; auto. intros [fits others]. split; auto.
  intros e E. destruct (fits e E); auto.
Qed.

Lemma begin_is_sound : sound begin.
Proof.
  split; simpl; auto; try tauto.
  - unfold places. apply incl_appl, incl_refl.
  - intros e E. left. apply in_map. auto.
Qed.

Lemma step_keeps_sound : forall s next, sound s -> step s = Some next -> sound next.
Proof.
  intros [pending [|[p [|e later]] below] known found] next [S1 S2 S3 S4 S5] E;
    unfold step, path in *; simpl in S1, S2, S3, S4, S5; cbn [stack roots finished back] in E.
  - destruct pending as [|p others]; [discriminate|].
    destruct (mem p known) eqn:M; injection E as <-; split; simpl; auto.
    + intros q Q. apply S1. simpl. auto.
    + intros e E. destruct (S5 e E) as [[<-|?]|[[]|?]]; auto. right. right. apply mem_is_in. auto.
    + intros q Q. apply S1. simpl. auto.
    + intros q later [Q|[]]. injection Q as <- <-. intros e E. apply outgoing_is in E. tauto.
    + intros e E. destruct (S5 e E) as [[<-|?]|[[]|?]]; auto.
  - injection E as <-. destruct S3 as [fits S3]. split; simpl; auto.
    + intros q later Q. apply (S2 q later). auto.
    + apply frames_fit_finished. auto.
    + split; auto. intros e E. destruct (fits e E) as [[]|[?|[?|up]]]; auto. discriminate.
    + intros e E. destruct (S5 e E) as [?|[[<-|?]|?]]; auto.
  - assert (sub : forall q rest, In (q, rest) ((p, later) :: below) -> incl rest edges).
    { intros q rest [Q|Q]; [injection Q as <- <-|apply (S2 q rest); auto].
      intros x X. apply (S2 p (e :: later)); simpl; auto. }
    assert (met : forall x, In x edges ->
      In (source x) pending \/ In (source x) (p :: map fst below) \/ In (source x) known).
    { intros x X. destruct (S5 x X) as [?|[?|?]]; simpl; auto. }
    destruct S3 as [fits S3].
    destruct (mem (target e) (map fst ((p, e :: later) :: below))) eqn:M; [|destruct (mem (target e) known) eqn:K];
      injection E as <-; split; simpl; auto.
    + split.
      * intros x X. destruct (fits x X) as [[<-|?]|[?|[?|?]]]; auto.
      * apply (frames_fit_more known known found (e :: found)); auto using incl_refl, incl_tl.
    + apply (in_order_more found); auto using incl_tl, incl_refl.
    + split; auto. intros x X. destruct (fits x X) as [[<-|?]|[?|[?|?]]]; auto.
      right. right. left. apply mem_is_in. auto.
    + intros q rest [Q|Q]; [|apply (sub q rest Q)]. injection Q as <- <-. intros x X. apply outgoing_is in X. tauto.
    + split; auto. split; auto. intros x X. destruct (fits x X) as [[<-|?]|[?|[?|?]]]; auto. discriminate.
    + intros x X. destruct (met x X) as [?|[?|?]]; simpl in *; auto.
Qed.

Lemma step_weighs_less : forall s next, sound s -> step s = Some next -> weight next < weight s.
Proof.
  intros [pending [|[p [|e later]] below] known found] next [S1 S2 _ _ _] E;
    unfold step, path in *; simpl in S1, S2; cbn [stack roots finished back] in E.
  - destruct pending as [|p others]; [discriminate|].
    destruct (mem p known) eqn:M; injection E as <-; unfold weight; simpl; [unfold discovered; simpl; lia|].
    pose proof (discovery_weighs
      (discovered {| roots := p :: others; stack := []; finished := known; back := found |})
      (discovered {| roots := others; stack := [(p, outgoing p)]; finished := known; back := found |})
      places p) as less.
    rewrite Nat.add_0_r. unfold discovered, path in *. simpl in *.
    specialize (less ltac:(intros q ->; apply orb_true_r) (S1 p (or_introl eq_refl)) M).
    rewrite Nat.eqb_refl in less. specialize (less eq_refl). lia.
  - injection E as <-. unfold weight. simpl.
    pose proof (knowing_more_weighs_less
      (discovered {| roots := pending; stack := (p, []) :: below; finished := known; back := found |})
      (discovered {| roots := pending; stack := below; finished := p :: known; back := found |}) places) as le.
    assert (implies : forall q,
      discovered {| roots := pending; stack := (p, []) :: below; finished := known; back := found |} q = true ->
      discovered {| roots := pending; stack := below; finished := p :: known; back := found |} q = true).
    { unfold discovered, path. simpl. intros q Q. destruct (q =? p), (mem q (map fst below)), (mem q known); auto. }
    specialize (le implies). lia.
  - destruct (mem (target e) (map fst ((p, e :: later) :: below))) eqn:M; [|destruct (mem (target e) known) eqn:K];
      injection E as <-; unfold weight; simpl; try (unfold discovered, path; simpl; lia).
    pose proof (discovery_weighs
      (discovered {| roots := pending; stack := (p, e :: later) :: below; finished := known; back := found |})
      (discovered {| roots := pending; stack := (target e, outgoing (target e)) :: (p, later) :: below;
                     finished := known; back := found |}) places (target e)) as less.
    assert (inside : In (target e) places).
    { unfold places. apply in_or_app. right. apply in_map. apply (S2 p (e :: later)); simpl; auto. }
    unfold discovered, path in *. simpl in *.
    specialize (less ltac:(intros q Q; apply orb_prop in Q as [Q|Q]; rewrite Q, ?orb_true_r; reflexivity) inside).
    rewrite M, K, Nat.eqb_refl in less. specialize (less eq_refl eq_refl). lia.
Qed.

Lemma search_for_ends : forall n s, sound s -> weight s <= n ->
  exists last, search_for n s = Some last /\ sound last /\ step last = None.
Proof.
  induction n; intros s S le; simpl; destruct (step s) as [next|] eqn:E; try solve [exists s; auto].
  - pose proof (step_weighs_less s next S E). lia.
  - apply IHn; [eapply step_keeps_sound; eauto|]. pose proof (step_weighs_less s next S E). lia.
Qed.

Theorem search_ends : exists last, search_for (weight begin) begin = Some last /\ step last = None.
Proof. destruct (search_for_ends (weight begin) begin begin_is_sound (le_n _)) as (last & E & _ & D). eauto. Qed.

(* When a place is finished: the first in the list is the last. *)
Fixpoint order (known : list nat) (p : nat) : nat :=
  match known with
  | [] => 0
  | q :: earlier => if mem p earlier then order earlier p else if p =? q then S (length earlier) else 0
  end.

Lemma order_bounded : forall known p, order known p <= length known.
Proof.
  induction known as [|q earlier IH]; intros p; simpl; auto. specialize (IH p).
  destruct (mem p earlier); [lia|]. destruct (p =? q); lia.
Qed.

Lemma finished_earlier : forall found known e, in_order found known -> In (source e) known ->
  In e (outgoing (source e)) -> ~ In e found ->
  In (target e) known /\ order known (target e) < order known (source e).
Proof.
  intros found known e. induction known as [|q earlier IH]; simpl; [tauto|].
  intros [fits others] inside out free. destruct (mem (source e) earlier) eqn:M.
  - apply mem_is_in in M. destruct (IH others M out free) as [there less]. split; auto.
    rewrite (proj2 (mem_is_in (target e) earlier) there). exact less.
  - destruct inside as [->|inside]; [|apply mem_is_in in inside; congruence].
    destruct (fits e out) as [?|there]; [contradiction|]. split; auto.
    rewrite (proj2 (mem_is_in (target e) earlier) there), Nat.eqb_refl.
    pose proof (order_bounded earlier (target e)). lia.
Qed.

Theorem back_edges_meet_every_cycle :
  meets_every_cycle source target edges (fun e => given e = true \/ In e back_edges).
Proof.
  destruct (search_for_ends (weight begin) begin begin_is_sound (le_n _)) as (last & E & S & D).
  unfold back_edges. rewrite E. apply order_meets_every_cycle with (rank := order (finished last)).
  intros e inside free.
  assert (done : In (source e) (finished last)).
  { pose proof (sources_are_met last S e inside) as met. unfold step, path in *.
    destruct (stack last) as [|[p [|x later]] below].
    - destruct (roots last) as [|p others]; [simpl in met; tauto|]. destruct (mem p (finished last)); discriminate.
    - discriminate.
    - destruct (mem (target x) _); [discriminate|]. destruct (mem (target x) _); discriminate. }
  apply (finished_earlier (back last)); auto.
  - apply (finished_in_order last S).
  - apply outgoing_is. repeat split; auto. destruct (given e); tauto.
Qed.
End Search.

(* A search that runs: a loop of three places with a short cut. The two edges that lead back are found. *)
Section Shown.
Definition loop : list (nat * nat) := [(0, 1); (1, 2); (2, 0); (1, 0); (0, 2)].
Example back_found : back_edges (nat * nat) fst snd loop (fun _ => false) = [(1, 0); (2, 0)].
Proof. reflexivity. Qed.
Example given_is_enough : back_edges (nat * nat) fst snd loop (fun e => Nat.eqb (snd e) 0) = [].
Proof. reflexivity. Qed.
End Shown.
