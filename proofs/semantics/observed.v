(* Rows of the product of a program and an observer: `certify_observed` accepts only those that show that the observer
   accepts no run, or no run that is weakly fair to every process.

   An observer reads the states of a run, one after the other, and may be in several places at once. It accepts a run if
   it can meet places that count for ever; and it may say at once that a state must not be. A row is a state, a place of
   the observer and a rank. Along every step the rank stays or falls. It names a set of steps, and falls along those: the
   steps behind what counts, or, for a process, those in which it moves, and those from where it cannot. So the rank stays
   from some moment on only if nothing counts any more, or if a process is passed over: it always can move, and never does.

   An observer reads states in which any process may move: those in the middle of an atomic sequence are passed through. A
   row there also says how far the end of the sequence is. A run that stops goes on in its last state for ever. Where a
   step violates an assertion or a trace the run goes on; where it breaks down with a run-time error nothing goes on, and
   that must not be unless the observer has lost interest. *)
(* Proves: certified_runs_are_not_accepted, certified_states_are_readable, certified_runs_do_not_break,
   certified_runs_stay_nowhere *)
(* Assumes: nothing *)
From Coq Require Import Arith ZArith NArith List Bool FMapPositive Lia.
From everafter.semantics Require Import values program states expressions statements system certified.
Import ListNotations.

Section Runs.
Variable p : program.

(* Steps that end in another state, with who moves; what must not happen does not end a run. *)
Definition leads (s : state) (who : list nat) (t : state) : Prop :=
  step_by p s who (Goes t) \/ exists f, step_by p s who (Fails f t).
(* From one state in which any process may move to the next. *)
Inductive passes : state -> list nat -> state -> Prop :=
| arrives : forall s who t, leads s who t -> exclusive t = None -> passes s who t
| goes_through : forall s who t others u, leads s who t -> exclusive t <> None -> passes t others u ->
    passes s (who ++ others) u.
Definition has_stopped (s : state) : Prop := forall o, ~ step p s o.
Definition goes_on (s : state) (who : list nat) (t : state) : Prop :=
  passes s who t \/ (has_stopped s /\ who = [] /\ t = s).
Definition is_run (q : nat -> state) (who : nat -> list nat) : Prop :=
  initial p = Some (q 0) /\ forall i, goes_on (q i) (who i) (q (S i)).
(* What begins as a run, up to its state number `n`. *)
Definition begins_run (q : nat -> state) (who : nat -> list nat) (n : nat) : Prop :=
  initial p = Some (q 0) /\ forall i, i < n -> goes_on (q i) (who i) (q (S i)).

(* What goes on for ever in the middle of an atomic sequence that begins behind s. *)
Definition stays_inside (s : state) (t : nat -> state) : Prop :=
  (exists who, leads s who (t 0)) /\ forall i, exclusive (t i) <> None /\ exists who, leads (t i) who (t (S i)).
(* A step from s, or from the middle of an atomic sequence that begins behind it, is a run-time error. *)
Inductive may_break : state -> Prop :=
| at_once : forall s who, step_by p s who Breaks -> may_break s
| further_on : forall s who t, leads s who t -> exclusive t <> None -> may_break t -> may_break s.

(* Weakly fair to a process: it is not so that from some moment on it can always move, and never does. *)
Definition can_move (n : nat) (s : state) : Prop := exists who o, step_by p s who o /\ In n who.
Definition is_fair (q : nat -> state) (who : nat -> list nat) (n : nat) : Prop :=
  ~ exists i, forall j, i <= j -> can_move n (q j) /\ ~ In n (who j).

Section Observed.
Variable hash : state -> positive.
Variable place : Type.
Variable same_place : place -> place -> bool.
Hypothesis same_place_sure : sure same_place.
Variable first : place.
(* Where the observer can go on reading a state, which has stopped or not; nothing, if the state must not be. *)
Variable reads : state -> bool -> place -> option (list place).
Variable counts : state -> place -> bool.
(* How many sets ranks may name: one, and one for each process that runs are to be fair to. *)
Variable sets : positive.

Definition is_stopped (s : state) : bool := match steps_by p s with [] => true | _ => false end.
Definition next_of (s : state) (at_ : place) : option (list place) := reads s (is_stopped s) at_.
Definition follows (q : nat -> state) (a : nat -> place) (n : nat) : Prop :=
  a 0 = first /\ forall i, i < n -> exists l, next_of (q i) (a i) = Some l /\ In (a (S i)) l.

(* State, place, rank, and how many steps in the middle of the atomic sequence are left at most. *)
Definition row := (state * place * N * N)%type.
Definition rows_table := PositiveMap.t (list row).
Definition rows_at (t : rows_table) (k : positive) : list row :=
  match PositiveMap.find k t with Some l => l | None => [] end.
Definition add_row (t : rows_table) (r : row) : rows_table :=
  let k := hash (fst (fst (fst r))) in PositiveMap.add k (r :: rows_at t k) t.
Definition tabulate_rows (rows : list row) : rows_table := fold_left add_row rows (PositiveMap.empty _).
Fixpoint rank_among (l : list row) (s : state) (at_ : place) : option (N * N) :=
  match l with
  | [] => None
  | (t, q, r, way) :: rest => if same_place q at_ && same_state s t then Some (r, way) else rank_among rest s at_
  end.
Definition rank_in (t : rows_table) (s : state) (at_ : place) : option (N * N) := rank_among (rows_at t (hash s)) s at_.

(* The set that a rank names; odd ones, which are for the middle of atomic sequences, name none. *)
Definition named (rank : N) : option N := if N.even rank then Some ((N.div2 rank) mod Npos sets)%N else None.
Definition is_of (k : N) (n : nat) : bool := (k =? N.succ (N.of_nat n))%N.
(* Whether a step from s at this place belongs to a set; `able`: who can move in s. *)
Definition is_in (s : state) (at_ : place) (able who : list nat) (k : N) : bool :=
  existsb (is_of k) who ||
  match exclusive s with
  | Some _ => false
  | None => if (k =? 0)%N then counts s at_ else negb (existsb (is_of k) able)
  end.
Definition must_fall (s : state) (at_ : place) (able who : list nat) (rank : N) : bool :=
  match named rank with Some k => is_in s at_ able who k | None => false end.

Definition is_nearer (s : state) (next : N) (from : option N) : bool :=
  match from, exclusive s with Some way, Some _ => (next <? way)%N | _, _ => true end.
Definition is_lower (t : rows_table) (rank : N) (falls : bool) (from : option N) (at_ : place) (s : state) : bool :=
  match rank_in t s at_ with
  | Some (next, way) => (if falls then (next <? rank)%N else (next <=? rank)%N) && is_nearer s way from
  | None => false
  end.
Definition may_follow (t : rows_table) (rank : N) (from : option N) (at_ : place) (step_ : bool * outcome) : bool :=
  match snd step_ with
  | Goes s | Fails _ s => is_lower t rank (fst step_) from at_ s
  | Breaks => false
  end.
Definition row_is_right (t : rows_table) (r : row) : bool :=
  let '(s, at_, rank, way) := r in
  let l := steps_by p s in
  match exclusive s with
  | Some _ => forallb (fun x => may_follow t rank (Some way) at_ (must_fall s at_ [] (fst x) rank, snd x)) l
  | None =>
      match named rank with None => false | Some _ =>
      match reads s (match l with [] => true | _ => false end) at_ with
      | None => false
      | Some goals =>
          let able := flat_map fst l in
          let l' := match l with [] => [([], Goes s)] | l => l end in
          let all := map (fun x => (must_fall s at_ able (fst x) rank, snd x)) l' in
          forallb (fun to => forallb (may_follow t rank None to) all) goals
      end
      end
  end.
Definition certify_observed (rows : list row) : bool :=
  let t := tabulate_rows rows in
  match initial p with
  | Some s => match exclusive s, rank_in t s first with None, Some _ => true | _, _ => false end
  | None => false
  end && forallb (row_is_right t) rows.

(* Proofs *)

Lemma rows_at_add : forall t r k x, In x (rows_at (add_row t r) k) -> x = r \/ In x (rows_at t k).
Proof.
  intros t r k x. unfold rows_at, add_row. destruct (Pos.eq_dec k (hash (fst (fst (fst r))))) as [->|other].
  - rewrite PositiveMap.gss. simpl. intros [<-|H]; auto.
  - rewrite PositiveMap.gso by auto. auto.
Qed.
Lemma tabulated : forall rows t k x, In x (rows_at (fold_left add_row rows t) k) -> In x rows \/ In x (rows_at t k).
Proof.
  induction rows as [|r rows IH]; intros t k x H; simpl in *; auto.
  destruct (IH _ _ _ H) as [H'|H']; auto. destruct (rows_at_add _ _ _ _ H') as [->|]; auto.
Qed.
Lemma ranked : forall rows s at_ r way, rank_in (tabulate_rows rows) s at_ = Some (r, way) ->
  In (s, at_, r, way) rows.
Proof.
  intros rows s at_ r way H. unfold rank_in in H.
  assert (inside : In (s, at_, r, way) (rows_at (tabulate_rows rows) (hash s))).
  { induction (rows_at (tabulate_rows rows) (hash s)) as [|[[[t q] x] y] l IH]; simpl in *; [discriminate|].
    destruct (same_place q at_ && same_state s t) eqn:E.
    - apply andb_true_iff in E as [E same]. apply same_place_sure in E. apply same_state_sure in same. left. congruence.
    - right. apply IH, H. }
  destruct (tabulated _ _ _ _ inside) as [|none]; auto. unfold rows_at in none. rewrite PositiveMap.gempty in none.
  destruct none.
Qed.

Lemma is_of_is : forall k n, is_of k n = true <-> k = N.succ (N.of_nat n).
Proof. intros k n. apply N.eqb_eq. Qed.
Lemma is_of_one : forall k n m, is_of k n = true -> is_of k m = true -> m = n.
Proof. intros k n m H H'. apply is_of_is in H. apply is_of_is in H'. lia. Qed.

Lemma named_is : forall rank k, named rank = Some k -> (k < Npos sets)%N.
Proof.
  intros rank k H. unfold named in H. destruct (N.even rank); [|discriminate]. injection H as <-. apply N.mod_lt. discriminate.
Qed.

Section Accepted.
Variable rows : list row.
Hypothesis all_right : forallb (row_is_right (tabulate_rows rows)) rows = true.
Notation rank_of := (rank_in (tabulate_rows rows)).

Lemma right_row : forall s at_ r way, rank_of s at_ = Some (r, way) ->
  row_is_right (tabulate_rows rows) (s, at_, r, way) = true.
Proof. intros s at_ r way H. apply ranked in H. rewrite forallb_forall in all_right. apply all_right, H. Qed.

Lemma lower_is : forall r falls from at_ t, is_lower (tabulate_rows rows) r falls from at_ t = true ->
  exists next way, rank_of t at_ = Some (next, way) /\ (next <= r)%N /\ (falls = true -> (next < r)%N) /\
    forall n, from = Some n -> exclusive t <> None -> (way < n)%N.
Proof.
  intros r falls from at_ t H. unfold is_lower in H.
  destruct (rank_of t at_) as [[next way]|] eqn:R; [|discriminate]. apply andb_true_iff in H as [H nearer].
  exists next, way. repeat split; auto.
  - destruct falls; [apply N.ltb_lt in H; lia | apply N.leb_le in H; exact H].
  - intros ->. apply N.ltb_lt in H. exact H.
  - intros n -> X. unfold is_nearer in nearer. destruct (exclusive t); [apply N.ltb_lt, nearer | congruence].
Qed.

(* In the middle of an atomic sequence. *)
Lemma one_step_inside : forall s who t at_ r way, leads s who t -> exclusive s <> None ->
  rank_of s at_ = Some (r, way) ->
  exists next less, rank_of t at_ = Some (next, less) /\ (next <= r)%N /\
    (forall k, named r = Some k -> existsb (is_of k) who = true -> (next < r)%N) /\
    (exclusive t <> None -> (less < way)%N).
Proof.
  intros s who t at_ r way L X R. pose proof (right_row _ _ _ _ R) as right. unfold row_is_right in right.
  destruct (exclusive s) eqn:E; [|congruence]. rewrite forallb_forall in right.
  assert (low : is_lower (tabulate_rows rows) r (must_fall s at_ [] who r) (Some way) at_ t = true).
  { destruct L as [S|[f S]]; apply steps_by_is_step_by in S; exact (right _ S). }
  apply lower_is in low. destruct low as (next & less & N & le & falls & nearer).
  exists next, less. repeat split; auto.
  intros k named_ moves_. apply falls. unfold must_fall. rewrite named_. unfold is_in. rewrite moves_. reflexivity.
Qed.

Lemma inside_an_atomic_sequence : forall s who t, passes s who t -> exclusive s <> None -> forall at_ r way,
  rank_of s at_ = Some (r, way) -> exists next less, rank_of t at_ = Some (next, less) /\ (next <= r)%N /\
    (forall k, named r = Some k -> existsb (is_of k) who = true -> (next < r)%N).
Proof.
  intros s who t P. induction P as [s who t L X|s who t others u L X P IH]; intros Y at_ r way R.
  - destruct (one_step_inside s who t at_ r way L Y R) as (next & less & N & le & falls & _). exists next, less. auto.
  - destruct (one_step_inside s who t at_ r way L Y R) as (next & less & N & le & falls & _).
    destruct (IH X at_ next less N) as (last_ & least_ & M & le' & falls'). exists last_, least_. split; auto.
    split; [lia|]. intros k named_ moves_. rewrite existsb_app in moves_. apply orb_true_iff in moves_ as [moves_|moves_].
    + specialize (falls k named_ moves_). lia.
    + destruct (N.eq_dec next r) as [->|]; [exact (falls' k named_ moves_) | lia].
Qed.

(* What belongs to the set k, of what is known at the state where an edge begins. *)
Definition is_left (s : state) (at_ : place) (k : N) : Prop :=
  (k = 0%N /\ counts s at_ = true) \/ exists n, is_of k n = true /\ ~ can_move n s.

Lemma is_in_is : forall s at_ who k, exclusive s = None ->
  existsb (is_of k) who = true \/ is_left s at_ k -> is_in s at_ (flat_map fst (steps_by p s)) who k = true.
Proof.
  intros s at_ who k X [M|[[-> C]|(n & K & cannot)]]; unfold is_in; rewrite X.
  - rewrite M. reflexivity.
  - simpl. rewrite C. apply orb_true_r.
  - apply orb_true_iff. right. destruct (k =? 0)%N eqn:Z.
    + apply N.eqb_eq in Z. apply is_of_is in K. lia.
    + apply negb_true_iff. destruct (existsb (is_of k) (flat_map fst (steps_by p s))) eqn:E; auto.
      exfalso. apply cannot. apply existsb_exists in E. destruct E as (m & inside & K').
      rewrite (is_of_one k n m K K') in inside. apply in_flat_map in inside. destruct inside as ([who' o] & S & here).
      exists who', o. split; [apply steps_by_is_step_by, S | exact here].
Qed.

(* From a state in which any process may move the observer reads, and the system moves. *)
Lemma one_step : forall s who x at_ l to r way, exclusive s = None -> leads s who x ->
  next_of s at_ = Some l -> In to l -> rank_of s at_ = Some (r, way) ->
  exists next less, rank_of x to = Some (next, less) /\ (next <= r)%N /\
    (forall k, named r = Some k -> existsb (is_of k) who = true \/ is_left s at_ k -> (next < r)%N).
Proof.
  intros s who x at_ l to r way X L reads_ inside R. pose proof (right_row _ _ _ _ R) as right.
  unfold row_is_right in right. rewrite X in right. destruct (named r) as [k|] eqn:K; [|discriminate].
  unfold next_of, is_stopped in reads_. rewrite reads_ in right. rewrite forallb_forall in right.
  specialize (right to inside). rewrite forallb_forall in right.
  assert (low : is_lower (tabulate_rows rows) r (must_fall s at_ (flat_map fst (steps_by p s)) who r) None to x = true).
  { assert (all : forall o, step_by p s who o ->
      may_follow (tabulate_rows rows) r None to (must_fall s at_ (flat_map fst (steps_by p s)) who r, o) = true).
    { intros o S. apply steps_by_is_step_by in S. apply right. apply in_map_iff. exists (who, o). split; [reflexivity|].
      destruct (steps_by p s); [destruct S | exact S]. }
    destruct L as [S|[f S]]; exact (all _ S). }
  apply lower_is in low. destruct low as (next & less & N & le & falls & _). exists next, less. repeat split; auto.
  intros k' E belongs. injection E as <-. apply falls. unfold must_fall. rewrite K. apply is_in_is; auto.
Qed.

Lemma one_letter : forall s who t at_ l to r way, exclusive s = None -> goes_on s who t ->
  next_of s at_ = Some l -> In to l -> rank_of s at_ = Some (r, way) ->
  exists next less, rank_of t to = Some (next, less) /\ (next <= r)%N /\
    (forall k, named r = Some k -> existsb (is_of k) who = true \/ is_left s at_ k -> (next < r)%N).
Proof.
  intros s who t at_ l to r way X G reads_ inside R. destruct G as [P|(stopped & -> & ->)].
  - destruct P as [s who t L Y|s who x others t L Y P].
    + exact (one_step s who t at_ l to r way X L reads_ inside R).
    + destruct (one_step s who x at_ l to r way X L reads_ inside R) as (next & less & N & le & falls).
      destruct (inside_an_atomic_sequence x others t P Y to next less N) as (last_ & least_ & M & le' & falls').
      exists last_, least_. split; auto. split; [lia|]. intros k named_ [moves_|left_].
      * rewrite existsb_app in moves_. apply orb_true_iff in moves_ as [moves_|moves_].
        -- specialize (falls k named_ (or_introl moves_)). lia.
        -- destruct (N.eq_dec next r) as [->|]; [exact (falls' k named_ moves_) | lia].
      * specialize (falls k named_ (or_intror left_)). lia.
  - pose proof (right_row _ _ _ _ R) as right. unfold row_is_right in right. rewrite X in right.
    destruct (named r) as [k|] eqn:K; [|discriminate]. unfold next_of, is_stopped in reads_.
    destruct (steps_by p s) as [|[who o] others] eqn:L.
    + rewrite reads_ in right. rewrite forallb_forall in right. specialize (right to inside). simpl in right.
      apply andb_true_iff in right as [right _]. unfold may_follow in right. simpl in right.
      apply lower_is in right. destruct right as (next & less & N & le & falls & _). exists next, less.
      repeat split; auto. intros k' E belongs. injection E as <-. apply falls. unfold must_fall. rewrite K.
      pose proof (is_in_is s at_ [] k X belongs) as H. rewrite L in H. exact H.
    + exfalso. apply (stopped o). exists who. apply steps_by_is_step_by. rewrite L. left. reflexivity.
Qed.

Lemma free_behind : forall s who t, exclusive s = None -> goes_on s who t -> exclusive t = None.
Proof.
  assert (arrived_is_free : forall s who t, passes s who t -> exclusive t = None) by (intros s who t P; induction P; auto).
  intros s who t X [P|(_ & _ & ->)]; [exact (arrived_is_free s who t P) | exact X].
Qed.

Lemma along : forall q who a n, begins_run q who n -> follows q a n -> exclusive (q 0) = None ->
  (exists r way, rank_of (q 0) first = Some (r, way)) ->
  forall i, i <= n -> exclusive (q i) = None /\ exists r way, rank_of (q i) (a i) = Some (r, way).
Proof.
  intros q who a n [_ on] [begins_ read] X has_first. induction i as [|i IH]; intros below.
  - rewrite begins_. auto.
  - destruct (IH ltac:(lia)) as [free (r & way & R)]. pose proof (on i ltac:(lia)) as G.
    destruct (read i ltac:(lia)) as (l & reads_ & inside). split; [exact (free_behind _ _ _ free G)|].
    destruct (one_letter _ _ _ _ _ _ _ _ free G reads_ inside R) as (next & less & N & _). eauto.
Qed.

Lemma no_sequence_is_endless : forall t at_,
  (forall i, exclusive (t i) <> None /\ exists who, leads (t i) who (t (S i))) ->
  forall way i r, rank_of (t i) at_ = Some (r, way) -> False.
Proof.
  intros t at_ inside way. induction way as [way IH] using (well_founded_induction N.lt_wf_0). intros i r R.
  destruct (inside i) as [X (who & L)].
  destruct (one_step_inside _ _ _ _ _ _ L X R) as (next & less & N & _ & _ & nearer).
  apply (IH less (nearer (proj1 (inside (S i)))) (S i) next N).
Qed.

Lemma nothing_breaks_inside : forall s, may_break s -> exclusive s <> None ->
  forall at_ r way, rank_of s at_ = Some (r, way) -> False.
Proof.
  intros s B. induction B as [s who S|s who t L X B IH]; intros Y at_ r way R.
  - pose proof (right_row _ _ _ _ R) as right. unfold row_is_right in right. destruct (exclusive s); [|congruence].
    rewrite forallb_forall in right. apply steps_by_is_step_by in S. specialize (right _ S). discriminate.
  - destruct (one_step_inside _ _ _ _ _ _ L Y R) as (next & less & N & _). exact (IH X at_ next less N).
Qed.
End Accepted.

Lemma accepted_begins : forall rows, certify_observed rows = true ->
  forallb (row_is_right (tabulate_rows rows)) rows = true /\
  exists s, initial p = Some s /\ exclusive s = None /\
    exists r way, rank_in (tabulate_rows rows) s first = Some (r, way).
Proof.
  intros rows H. unfold certify_observed in H. apply andb_true_iff in H as [begins_ all]. split; [exact all|].
  destruct (initial p) as [s|]; [|discriminate]. destruct (exclusive s) eqn:X; [discriminate|].
  destruct (rank_in (tabulate_rows rows) s first) as [[r way]|] eqn:K; [|discriminate].
  exists s. repeat split; auto. eauto.
Qed.

Section Certified.
Variable rows : list row.
Hypothesis accepted : certify_observed rows = true.

Lemma rows_along : forall q who a n, begins_run q who n -> follows q a n ->
  exclusive (q n) = None /\ exists r way, rank_in (tabulate_rows rows) (q n) (a n) = Some (r, way).
Proof.
  intros q who a n B F. destruct (accepted_begins rows accepted) as (all & s & I & X & has_first).
  pose proof B as [E _]. rewrite I in E. injection E as ->. apply (along rows all q who a n B F X has_first n (le_n n)).
Qed.

(* No state is read that must not be. *)
Theorem certified_states_are_readable : forall q who a n, begins_run q who n -> follows q a n ->
  next_of (q n) (a n) <> None.
Proof.
  intros q who a n B F none. destruct (rows_along q who a n B F) as [X (r & way & R)].
  destruct (accepted_begins rows accepted) as (all & _). pose proof (right_row rows all _ _ _ _ R) as right.
  unfold row_is_right in right. rewrite X in right. destruct (named r); [|discriminate].
  unfold next_of, is_stopped in none. rewrite none in right. discriminate.
Qed.

(* Where the observer goes on, no step is a run-time error. *)
Theorem certified_runs_do_not_break : forall q who a n l to, begins_run q who n -> follows q a n ->
  next_of (q n) (a n) = Some l -> In to l -> ~ may_break (q n).
Proof.
  intros q who a n l to B F reads_ inside broken. destruct (rows_along q who a n B F) as [X (r & way & R)].
  destruct (accepted_begins rows accepted) as (all & _). destruct broken as [s who' S|s who' t L Y broken].
  - pose proof (right_row rows all _ _ _ _ R) as right. unfold row_is_right in right. rewrite X in right.
    destruct (named r); [|discriminate]. unfold next_of, is_stopped in reads_. rewrite reads_ in right.
    rewrite forallb_forall in right. specialize (right to inside). rewrite forallb_forall in right.
    apply steps_by_is_step_by in S.
    assert (broken : may_follow (tabulate_rows rows) r None to
      (must_fall s (a n) (flat_map fst (steps_by p s)) who' r, Breaks) = true).
    { apply right, in_map_iff. exists (who', Breaks). split; [reflexivity|].
      destruct (steps_by p s); [destruct S | exact S]. }
    discriminate.
  - destruct (one_step rows all _ _ _ _ _ _ _ _ X L reads_ inside R) as (next & less & N & _).
    exact (nothing_breaks_inside rows all t broken Y to next less N).
Qed.

(* Nor does the run stay in the middle of an atomic sequence for ever. *)
Theorem certified_runs_stay_nowhere : forall q who a n l to t, begins_run q who n -> follows q a n ->
  next_of (q n) (a n) = Some l -> In to l -> ~ stays_inside (q n) t.
Proof.
  intros q who a n l to t B F reads_ inside [[who' L] on]. destruct (rows_along q who a n B F) as [X (r & way & R)].
  destruct (accepted_begins rows accepted) as (all & _).
  destruct (one_step rows all _ _ _ _ _ _ _ _ X L reads_ inside R) as (next & less & N & _).
  exact (no_sequence_is_endless rows all t to on less 0 next N).
Qed.

(* No run is accepted that is fair to the processes which ranks can name. *)
Theorem certified_runs_are_not_accepted : forall q who a, is_run q who -> (forall n, follows q a n) ->
  (forall n, (N.succ (N.of_nat n) < Npos sets)%N -> is_fair q who n) ->
  ~ forall i, exists j, i <= j /\ counts (q j) (a j) = true.
Proof.
  intros q who a [begins_ on] F fair often. destruct (accepted_begins rows accepted) as (all & _).
  assert (B : forall n, begins_run q who n) by (intros n; split; auto).
  assert (here : forall i, exclusive (q i) = None /\ exists r way, rank_in (tabulate_rows rows) (q i) (a i) = Some (r, way)).
  { intros i. exact (rows_along q who a i (B i) (F i)). }
  assert (next_letter : forall i r way, rank_in (tabulate_rows rows) (q i) (a i) = Some (r, way) ->
    exists next less, rank_in (tabulate_rows rows) (q (S i)) (a (S i)) = Some (next, less) /\ (next <= r)%N /\
      (forall k, named r = Some k -> existsb (is_of k) (who i) = true \/ is_left (q i) (a i) k -> (next < r)%N)).
  { intros i r way R. destruct (F (S i)) as [_ read]. destruct (read i (Nat.lt_succ_diag_r i)) as (l & reads_ & inside).
    exact (one_letter rows all _ _ _ _ _ _ _ _ (proj1 (here i)) (on i) reads_ inside R). }
  assert (ends : forall r i way, rank_in (tabulate_rows rows) (q i) (a i) = Some (r, way) -> False).
  { intros r. induction r as [r IH] using (well_founded_induction N.lt_wf_0). intros i way R.
    assert (stays : forall d, exists way', rank_in (tabulate_rows rows) (q (d + i)) (a (d + i)) = Some (r, way')).
    { induction d as [|d [way' D]]; [exists way; exact R|].
      destruct (next_letter (d + i) r way' D) as (next & less & N & le & _).
      destruct (N.eq_dec next r) as [->|other]; [exists less; exact N|].
      destruct (IH next ltac:(lia) (S (d + i)) less N). }
    assert (never : forall j k, i <= j -> named r = Some k ->
      existsb (is_of k) (who j) = true \/ is_left (q j) (a j) k -> False).
    { intros j k le named_ belongs. destruct (stays (j - i)) as [way' D]. replace (j - i + i) with j in D by lia.
      destruct (next_letter j r way' D) as (next & less & N & _ & falls). specialize (falls k named_ belongs).
      apply (IH next falls (S j) less N). }
    pose proof (right_row rows all _ _ _ _ R) as right. unfold row_is_right in right. rewrite (proj1 (here i)) in right.
    destruct (named r) as [k|] eqn:K; [|discriminate]. pose proof (named_is r k K) as below.
    destruct (N.eq_dec k 0) as [->|some].
    - destruct (often i) as (j & le & C). apply (never j 0%N le eq_refl). right. left. auto.
    - assert (of_n : is_of k (N.to_nat (N.pred k)) = true) by (apply is_of_is; lia).
      apply (fair (N.to_nat (N.pred k))); [lia|]. exists i. intros j le. split.
      + destruct (existsb (is_of k) (flat_map fst (steps_by p (q j)))) eqn:E.
        * apply existsb_exists in E. destruct E as (m & inside & K'). rewrite (is_of_one _ _ _ of_n K') in inside.
          apply in_flat_map in inside. destruct inside as ([who' o] & S & moves_). exists who', o.
          split; [apply steps_by_is_step_by, S | exact moves_].
        * destruct (never j k le eq_refl). right. right. exists (N.to_nat (N.pred k)). split; auto.
          intros (who' & o & S & moves_). apply steps_by_is_step_by in S.
          assert (yes : existsb (is_of k) (flat_map fst (steps_by p (q j))) = true).
          { apply existsb_exists. exists (N.to_nat (N.pred k)). split; [|exact of_n]. apply in_flat_map.
            exists (who', o). auto. }
          congruence.
      + intros moves_. apply (never j k le eq_refl). left. apply existsb_exists. exists (N.to_nat (N.pred k)). auto. }
  destruct (here 0) as [_ (r & way & R)]. exact (ends r 0 way R).
Qed.
End Certified.
End Observed.
End Runs.
