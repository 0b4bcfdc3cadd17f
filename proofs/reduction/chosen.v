(* The reduction as it runs: sticky edges chosen greedily, loops that count, waivers; one theorem.

   static.v takes as sticky what a depth-first search finds. The program chooses (reduction/greedy.v), and holds fewer
   edges: those of loops that count are not looked at (reduction/counting.v), and a sticky operation on a channel is
   held only where it is not waived (reduction/waivers.v). Here all of this is computed from the text of the program:
   edges that are given, visible, or count are broken; the others that are on a cycle of unbroken ones are looked at,
   in any order; one that closes a cycle with those that are kept becomes sticky. Proved: for every program of commands
   of which finitely many states can be reached, all runs satisfy a claim without next exactly if all reduced runs do;
   and a reduced search misses no deadlock and no step. *)
(* Proves: chosen_conditions, chosen_reduction_of_programs, chosen_reduction_keeps_deadlocks,
   chosen_reduction_keeps_actions, chosen_reduction_keeps_errors *)
(* Assumes: classic, constructive_indefinite_description (through reduction/preservation.v and reduction/waivers.v) *)
From Coq Require Import Arith Lia List Bool ZArith.
From everafter.search Require Import ranking.
From everafter.ltl Require Import words formulas.
From everafter.reduction Require Import channels programs cycles greedy conditions preservation ample commands static
  safety errors waivers counting.
Import ListNotations.

Section Ways.
Variables source target : nat -> nat.

(* Whether a way leads: places are added as often as there are edges. That this is enough is checked, not proved. *)
Definition add_targets (kept places : list nat) : list nat :=
  nodup Nat.eq_dec (places ++ map target (filter (fun e => has (source e) places) kept)).
Definition all_added (kept places : list nat) : bool :=
  forallb (fun e => negb (has (source e) places) || has (target e) places) kept.
Definition leads_to (kept : list nat) (a b : nat) : bool :=
  let found := Nat.iter (length kept) (add_targets kept) [a] in
  if has a found && all_added kept found then has b found else true.

Lemma leads_to_finds : forall kept a b, leads (free_edge nat source target kept (fun _ => False)) a b ->
  leads_to kept a b = true.
Proof.
  intros kept a b there. unfold leads_to. cbv zeta. set (found := Nat.iter (length kept) (add_targets kept) [a]).
  destruct (has a found && all_added kept found) eqn:B; auto. apply andb_prop in B as [here all].
  unfold all_added in all. rewrite forallb_forall in all.
  assert (on : forall x y, free_edge nat source target kept (fun _ => False) x y -> has x found = true ->
    has y found = true).
  { intros x y (e & inside & _ & <- & <-) X. specialize (all e inside). rewrite X in all. exact all. }
  assert (along : forall x y, way (free_edge nat source target kept (fun _ => False)) x y -> has x found = true ->
    has y found = true) by (intros x y path; induction path; eauto).
  destruct there as [<-|path]; eauto.
Qed.
End Ways.

Lemma walks_with : forall source target one (two : list nat) a b, walks source target a (one ++ two) b <->
  exists c, walks source target a one c /\ walks source target c two b.
Proof.
  induction one as [|i one IH]; intros two a b; simpl.
  - split; [intros W; exists a; auto | intros (c & -> & W); auto].
  - rewrite IH. split; [intros (E & c & A & B); exists c; auto | intros (c & (E & A) & B); split; eauto].
Qed.

Section Chosen.
Variable P : program.
Variable claim : list proposition.
Variable given counts_there : nat -> nat -> bool.
Variable by_worth : nat -> list nat.
Variable order : state -> list nat.

Hypothesis honest_program : forall t e, In t P -> In e t -> honest e.
Variable wide : nat -> nat.
Hypothesis counting_edges : forall p t, nth_error P p = Some t ->
  exists out, rounds t (wide p) out /\ forall i, counts_there p i = true -> In i out.

Section Process.
Variable p : nat.
Variable t : text.

Definition broken (i : nat) : bool := given p i || visible P claim p i || counts_there p i.
Definition edges_of : list nat := seq 0 (length t).
Definition unbroken : list nat := filter (fun i => negb (broken i)) edges_of.
Definition looked_at : list nat :=
  filter (fun i => has i unbroken && leads_to (source_of t) (target_of t) unbroken (target_of t i) (source_of t i))
    (nodup Nat.eq_dec (by_worth p ++ edges_of)).
Definition chosen_of : list nat :=
  greedy.chosen nat (source_of t) (target_of t) looked_at (leads_to (source_of t) (target_of t)).

Lemma unbroken_are : forall i, In i unbroken <-> In i edges_of /\ broken i = false.
Proof. intros i. unfold unbroken. rewrite filter_In, negb_true_iff. tauto. Qed.

Lemma cyclic_are_looked_at : forall walk e, closed_walk nat (source_of t) (target_of t) walk -> incl walk edges_of ->
  (forall d, In d walk -> broken d = false) -> In e walk -> In e looked_at.
Proof.
  intros walk e [some (a & round)] sub free on.
  assert (inside : incl walk unbroken) by (intros d D; apply unbroken_are; auto).
  unfold looked_at. apply filter_In. split; [apply nodup_In, in_or_app; auto|].
  apply andb_true_iff. split; [apply in_existsb; auto|]. apply leads_to_finds.
  apply in_split in on as (before & behind & ->). apply walks_with in round as (b & one & here & two).
  destruct (behind ++ before) as [|d others] eqn:rest.
  - apply app_eq_nil in rest as [-> ->]. simpl in *. left. congruence.
  - right. apply (walk_is_way nat (source_of t) (target_of t)) with (walk := behind ++ before).
    + rewrite rest. discriminate.
    + intros x X. apply inside. apply in_or_app. apply in_app_or in X as [X|X]; simpl; auto.
    + apply walks_with. exists a. split; auto. rewrite here. exact one.
Qed.

Lemma chosen_meet_local_cycles : nth_error P p = Some t ->
  meets_every_local_cycle t (wide p) (fun i => given p i || has i chosen_of = true \/ visible P claim p i = true).
Proof.
  intros T a walk some W.
  pose proof (local_walk_inside t (wide p) walk a a W) as inside.
  destruct (chosen_meet_every_cycle nat (source_of t) (target_of t) edges_of broken looked_at
    cyclic_are_looked_at (leads_to (source_of t) (target_of t)) (leads_to_finds (source_of t) (target_of t))
    (fst a) walk some inside (local_walk_walks t (wide p) walk a a W)) as (i & on & cut).
  exists i. split; auto. destruct cut as [B|S].
  - unfold broken in B. apply orb_prop in B as [B|K]; [apply orb_prop in B as [G|V]; auto; left; rewrite G; auto|].
    destruct (counting_edges p t T) as (out & R & all). exfalso.
    exact (rounds_are_on_no_cycle t (wide p) out R a walk i W (all i K) on).
  - left. apply orb_true_iff. right. apply in_existsb. exact S.
Qed.
End Process.

Definition sticky_chosen (p i : nat) : bool :=
  given p i || match nth_error P p with Some t => has i (chosen_of p t) | None => false end.

(* The steps that are taken in a state. *)
Definition chosen_reduced (s : state) : list action :=
  ample_with_waivers P sticky_chosen (visible P claim) may_reach order (resting P) s.
Definition chosen_runs (s : state) (w : nat -> action) :=
  reduced_run state action (execute P) (fun s a => In a (chosen_reduced s)) s w.
Definition reachable_from (start s : state) :=
  reachable state action (fun s => s = start) (enabled P) (execute P) s.

(* Proof of everafter.reduction.sticky.sticky_edges *)
Theorem chosen_conditions : forall start states, (forall s, reachable_from start s -> In s states) ->
  (forall s, reachable_from start s -> fitting wide s) ->
  conditions state action (list bool) (fun s => s = start) (enabled P) (execute P) (label claim)
    (fun s a => In a (chosen_reduced s)).
Proof.
  intros start states finite fit.
  apply (waivers_satisfy_conditions P (list bool) (label claim) sticky_chosen (visible P claim) may_reach order
    (resting P)) with (states := states) (wide := wide); auto.
  - apply may_stay.
  - apply may_go_on.
  - intros p t T a walk some W. destruct (chosen_meet_local_cycles p t T a walk some W) as (i & on & cut).
    exists i. split; auto. unfold sticky_chosen. rewrite T. exact cut.
  - intros s p i. apply invisible_commands_are_unseen. auto.
Qed.
End Chosen.

(* Of programs of commands. What counts must be shown to, by rounds of counting.v. *)
Definition width_of (start : state) (p : nat) : nat :=
  match nth_error (processes start) p with Some (_, l) => length l | None => 0 end.
Definition counts_rightly (source : list (list command)) (start : state) (counts_there : nat -> nat -> bool) :=
  forall p t, nth_error (program_of source) p = Some t ->
  exists out, rounds t (width_of start p) out /\ forall i, counts_there p i = true -> In i out.

Lemma body_keeps_locals : forall x body m, length (fst (fold_left (assign x) body m)) = length (fst m).
Proof.
  intros x. induction body as [|a body IH]; intros m; simpl; auto. rewrite IH.
  destruct m as [l g], a; simpl; auto. apply update_length.
Qed.

Lemma width_stays : forall source start s, reachable_from (program_of source) start s -> fitting (width_of start) s.
Proof.
  intros source start s R. induction R as [s E|s a R IH E]; intros q place l Q.
  - subst. unfold width_of. rewrite Q. reflexivity.
  - destruct a as [|p i]; [eapply IH; exact Q|]. apply step_enabled in E.
    destruct (moving (program_of source) s p i E) as (e & here & m & c & x & N & A & _ & _ & _ & M).
    rewrite M in Q. cbn [moved processes] in Q. destruct (Nat.eq_dec p q) as [->|other].
    + rewrite (update_same _ _ _ _ (here, m)) in Q by auto. injection Q as <- <-. rewrite <- (IH q here m A).
      apply edge_in_text in N as (t & T & I). unfold program_of in T. rewrite nth_error_map in T.
      destruct (nth_error source q) as [commands|]; [|discriminate]. injection T as <-. rewrite nth_error_map in I.
      destruct (nth_error commands i) as [command|]; [|discriminate]. injection I as <-. apply body_keeps_locals.
    + rewrite update_other in Q by auto. eapply IH; eauto.
Qed.

Section Programs.
Variable source : list (list command).
Variable claim : list proposition.
Variables given counts_there : nat -> nat -> bool.
Variable by_worth : nat -> list nat.
Variable order : state -> list nat.
Variable start : state.
Variable states : list state.
Notation P := (program_of source).
Notation reduced_there := (fun s a => In a (chosen_reduced P claim given counts_there by_worth order s)).
Hypothesis counting_is_right : counts_rightly source start counts_there.
Hypothesis finitely_many : forall s, reachable_from P start s -> In s states.

Lemma all_conditions : conditions state action (list bool) (fun s => s = start) (enabled P) (execute P) (label claim)
  reduced_there.
Proof.
  apply chosen_conditions with (states := states) (wide := width_of start); auto.
  - apply program_is_honest.
  - apply width_stays.
Qed.

Theorem chosen_reduction_of_programs : forall f : formula nat, next_free f ->
  ((forall w, runs P start w -> satisfies truth (word_seen P claim start w) f) <->
   (forall w, chosen_runs P claim given counts_there by_worth order start w ->
     satisfies truth (word_seen P claim start w) f)).
Proof.
  intros f free. apply (reduction_preserves_formulas _ _ _ _ _ _ _ _ all_conditions nat truth f start free eq_refl).
Qed.

Theorem chosen_reduction_keeps_deadlocks : forall n w,
  possible_until state action (enabled P) (execute P) start w n ->
  stopped source (after state action (execute P) start w n) ->
  exists w', reduced_until state action (execute P) reduced_there start w' n /\
    after state action (execute P) start w' n = after state action (execute P) start w n.
Proof.
  intros n w possible D.
  apply (deadlocks_are_kept _ _ _ _ _ _ _ _ all_conditions (fun a => a <> Stutter)); auto.
  - intros t b _ NE B. destruct (reduced_state P _ _ _ _ _ t NE) as (p & _ & T).
    destruct (proj1 (T b) B) as (i & E & _). rewrite E. discriminate.
  - apply reachable_initial. reflexivity.
  - intros [|p i] E; [tauto|]. apply step_enabled in E. rewrite D in E. discriminate.
Qed.

Theorem chosen_reduction_keeps_actions : forall n w,
  possible_until state action (enabled P) (execute P) start w (S n) ->
  exists w' m, reduced_until state action (execute P) reduced_there start w' (S m) /\ w' m = w n.
Proof.
  intros n w possible. apply (actions_are_kept _ _ _ _ _ _ _ _ all_conditions); auto.
  apply reachable_initial. reflexivity.
Qed.

(* Steps along bad edges fail, as in errors.v. *)
Theorem chosen_reduction_keeps_errors : forall bad n w p i,
  possible_until state action (goes_on source bad) (execute P) start w n ->
  can_move P (after state action (execute P) start w n) p i = true -> bad p i = true ->
  error_is_met state action (execute P) (fails_there bad) reduced_there start.
Proof.
  intros bad n w p i possible can fails.
  assert (C : conditions_with_errors state action (list bool) (enabled P) (execute P) (label claim) (fails_there bad)
    reduced_there start).
  { apply bad_actions_are_errors with (initial := fun s => s = start); [apply all_conditions | reflexivity |].
    intros s t [|q j]; simpl; tauto. }
  apply (errors_are_kept _ _ _ _ _ _ _ _ _ C n w (Step p i)); auto. apply step_enabled. auto.
Qed.
End Programs.

(* Waivers and counting at work. *)
Section Shown.
(* A sender and a receiver, each in a loop. The receiver is waived, as nobody of its number or a higher one sends. *)
Definition loops := program_of [
  [{| source := 0; target := 0; condition := Literal 1; over := Puts 0 2 false [Literal 7]; body := [] |}];
  [{| source := 0; target := 0; condition := Literal 1; over := Gets 0 false true [None]; body := [] |}] ].
Definition sticky_there := sticky_chosen loops [] never never (fun _ => []).
Example both_are_sticky : (sticky_there 0 0, sticky_there 1 0) = (true, true).
Proof. reflexivity. Qed.
Example receiver_is_waived : chosen_reduced loops [] never never (fun _ => []) youngest (holding [[5%Z]]) = [Step 1 0].
Proof. reflexivity. Qed.
Example sender_is_not : held loops sticky_there may_reach (holding [[5%Z]]) 0 0 = true.
Proof. reflexivity. Qed.

(* A process counts a byte up to 3. *)
Definition byte_up := Unary (fun a => wrapped 0 256 (a + 1)) (Local 0).
Definition up_to_three := [ [
  {| source := 0; target := 1; condition := Unary (fun a => if Z.ltb a 3 then 1 else 0)%Z (Local 0); over := Quiet;
     body := [] |};
  {| source := 1; target := 0; condition := Literal 1; over := Quiet; body := [SetLocal 0 byte_up] |} ] ].
Definition second (p i : nat) : bool := i =? 1.

Definition at_zero := {| globals := []; channels := []; processes := [(0, [0%Z])] |}.
Lemma counts_to_three : counts_rightly up_to_three at_zero second.
Proof.
  intros [|[|p]] t E; [|discriminate|discriminate]. injection E as <-. exists [1]. split.
  - apply (one_more _ _ [] [0; 1] 0%Z 256%Z 0 1%Z (second 0) (Nat.eqb 0) (fun _ => 3%Z)); [apply no_round | lia | |].
    + split.
      * auto.
      * intros i e x [|z l] g [<-|[<-|[]]] N K wide; try discriminate; injection N as <-; reflexivity.
      * intros i e x l g [<-|[<-|[]]] N K; try discriminate; injection N as <-. reflexivity.
      * intros l. lia.
      * auto.
      * intros i e l g [<-|[<-|[]]] N K open; try discriminate. injection N as <-. simpl in open.
        unfold read in *. intros three. rewrite three in open. discriminate.
      * intros i calm k I K _ _ sub W. apply Nat.eqb_eq in I, K. subst. destruct calm as [|j calm]; [discriminate|].
        exists j. split; [simpl; auto|]. destruct (sub j (or_introl eq_refl)) as [<-|[<-|[]]]; auto.
        destruct W. discriminate.
    + intros a walk i sub _ _ _ _ _ j J. apply sub in J. exact J.
  - intros i K. apply Nat.eqb_eq in K. subst. simpl. auto.
Qed.
End Shown.
