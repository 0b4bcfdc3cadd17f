(* Rows of the product of a program and an automaton: `certify_claim` accepts only those that show that every endless run
   satisfies a formula.

   The automaton is any; a reason (ltl/inclusion.v) shows that it accepts whatever violates the formula. A row is a state,
   a place of the automaton and a rank. Along every step the rank stays or falls, and it falls behind accepting places; it
   can fall only finitely often, so no run of the system is accepted.

   A formula is read in states in which any process may move: the states in the middle of an atomic sequence are passed
   through. A row there also says how far the end of the sequence is; so a run that stayed in one for ever would have read
   enough before to satisfy the formula, whatever else it had read. A run that stops goes on in its last state for ever. *)
(* Proves: certified_rows_satisfy, certified_sequences_end *)
(* Assumes: classic, constructive_indefinite_description (through ltl/automaton.v) *)
From Coq Require Import ZArith NArith List Bool FMapPositive Lia Classical.
From everafter.ltl Require words formulas automaton inclusion.
From everafter.semantics Require Import values program states expressions statements system certified.
Import ListNotations.

(* The formula speaks of propositions by number; each is an expression. *)
Definition formula := formulas.formula nat.
Definition kernel := formulas.kernel nat.
Definition letter := list bool.
Definition truth_of (l : letter) (n : nat) : bool := nth n l false.

(* An automaton as a list of edges; each has the cases in which it can be taken: propositions that must be true or not. *)
Definition condition := list (list (nat * bool)).
Record buchi := Buchi { start_at : nat; edges : list (nat * condition * nat); accepting_at : list nat }.
Definition is_met (v : nat -> bool) (c : condition) : bool :=
  existsb (forallb (fun literal => Bool.eqb (v (fst literal)) (snd literal))) c.
Definition goes (b : buchi) (at_ : nat) (v : nat -> bool) : list nat :=
  flat_map (fun edge => let '(from, c, to) := edge in
    if Nat.eqb from at_ then if is_met v c then [to] else [] else []) (edges b).
Definition is_accepting (b : buchi) (at_ : nat) : bool := existsb (Nat.eqb at_) (accepting_at b).

(* Why the automaton accepts every violation: one reason, or two, for a simpler formula and for what is left. *)
Definition entries := list (inclusion.pair nat nat * nat).
Inductive reasons :=
| OneReason (waited : list kernel) (reason : entries)
| TwoReasons (simpler : kernel) (waited : list kernel) (reason : entries) (waited' : list kernel) (reason' : entries).

Section Justified.
Variable b : buchi.
Definition is_reason (f : kernel) (waited : list kernel) (reason : entries) : bool :=
  inclusion.is_reason nat Nat.eq_dec nat Nat.eq_dec (start_at b) (goes b) (is_accepting b) f waited reason.
Definition is_among (l : list kernel) (f : kernel) : bool :=
  if in_dec (automaton.same_kernel nat Nat.eq_dec) f l then true else false.
Definition speaks_of (f : kernel) (c : condition) : bool :=
  forallb (forallb (fun literal => is_among (automaton.parts nat f) (formulas.Is (fst literal)))) c.
Definition fits (f : kernel) (waited : list kernel) : bool :=
  forallb (is_among (automaton.promises nat f)) waited &&
  forallb (fun edge => speaks_of f (snd (fst edge))) (edges b).
Definition is_justified (claim : formula) (why : reasons) : bool :=
  let violated := formulas.kernel_of (formulas.Not claim) in
  match why with
  | OneReason waited reason => fits violated waited && is_reason violated waited reason
  | TwoReasons simpler waited reason waited' reason' =>
      let others := formulas.Both violated (formulas.No simpler) in
      fits simpler waited && is_reason simpler waited reason && fits others waited' && is_reason others waited' reason'
  end.

Lemma is_among_is : forall l f, is_among l f = true -> In f l.
Proof. intros l f. unfold is_among. destruct (in_dec (automaton.same_kernel nat Nat.eq_dec) f l); intros; [assumption | discriminate]. Qed.

Lemma is_met_depends : forall f c v v', speaks_of f c = true ->
  (forall n, In (formulas.Is n) (automaton.parts nat f) -> v n = v' n) -> is_met v c = is_met v' c.
Proof.
  intros f c v v' speaks same. unfold is_met. induction c as [|cube c IH]; simpl in *; auto.
  apply andb_true_iff in speaks as [here there]. rewrite (IH there). f_equal.
  induction cube as [|[n value] cube IHc]; simpl in *; auto.
  apply andb_true_iff in here as [now later]. rewrite (IHc later), (same n); auto. apply is_among_is, now.
Qed.

Lemma goes_depends : forall f at_ v v', forallb (fun edge => speaks_of f (snd (fst edge))) (edges b) = true ->
  (forall n, In (formulas.Is n) (automaton.parts nat f) -> v n = v' n) -> goes b at_ v = goes b at_ v'.
Proof.
  intros f at_ v v' speaks same. unfold goes. induction (edges b) as [|[[from c] to] l IH]; simpl in *; auto.
  apply andb_true_iff in speaks as [here there]. rewrite (IH there), (is_met_depends f c v v' here same). reflexivity.
Qed.

Lemma fits_is : forall f waited, fits f waited = true -> inclusion.fits nat nat (goes b) f waited.
Proof.
  intros f waited H. apply andb_true_iff in H as [promised speaks]. split.
  - intros promise inside. rewrite forallb_forall in promised. apply is_among_is, promised, inside.
  - intros s v v' same. apply (goes_depends f); auto.
Qed.

Definition accepts (w : words.word letter) :=
  inclusion.automaton_accepts nat letter truth_of nat (start_at b) (goes b) (is_accepting b) w.

Lemma justified_is : forall claim why, is_justified claim why = true ->
  forall w, ~ formulas.satisfies truth_of w claim -> accepts w.
Proof.
  intros claim why H w violates. destruct why as [waited reason|simpler waited reason waited' reason']; simpl in H.
  - apply andb_true_iff in H as [F good]. apply fits_is in F.
    apply (inclusion.justified_automaton_accepts_violations nat Nat.eq_dec letter truth_of nat Nat.eq_dec (start_at b)
      (goes b) (is_accepting b) claim waited reason F good w violates).
  - apply andb_true_iff in H as [H good']. apply andb_true_iff in H as [H F']. apply andb_true_iff in H as [F good].
    apply fits_is in F. apply fits_is in F'.
    apply (inclusion.reasons_by_cases nat Nat.eq_dec letter truth_of nat Nat.eq_dec (start_at b) (goes b)
      (is_accepting b) (formulas.kernel_of (formulas.Not claim)) simpler waited waited' reason reason' F good F'
      good' w).
    apply formulas.kernel_means_the_same. exact violates.
Qed.
End Justified.

Section Runs.
Variable p : program.
Variable propositions : list expr.

(* What a formula sees of a state. Propositions belong to no process; one that goes wrong has no value. *)
Definition proposition_in (s : state) (e : expr) : option Z := value p (begin s) false 0 e.
Definition letter_of (s : state) : letter :=
  map (fun e => match proposition_in s e with Some v => is_true v | None => false end) propositions.
Definition is_readable (s : state) : bool :=
  forallb (fun e => match proposition_in s e with Some _ => true | None => false end) propositions.

(* Runs through states in which any process may move. *)
Definition leads (s t : state) : Prop := step p s (Goes t) \/ exists f, step p s (Fails f t).
Inductive passes : state -> state -> Prop :=
| arrives : forall s t, leads s t -> exclusive t = None -> passes s t
| goes_through : forall s t u, leads s t -> exclusive t <> None -> passes t u -> passes s u.
Definition has_stopped (s : state) : Prop := forall o, ~ step p s o.
Definition goes_on (s t : state) : Prop := passes s t \/ (has_stopped s /\ t = s).
Definition is_run (q : nat -> state) : Prop := initial p = Some (q 0) /\ forall i, goes_on (q i) (q (S i)).
(* What goes on for ever in the middle of an atomic sequence that begins behind s. *)
Definition stays_inside (s : state) (t : nat -> state) : Prop :=
  leads s (t 0) /\ forall i, exclusive (t i) <> None /\ leads (t i) (t (S i)).
Definition letters_of (q : nat -> state) : words.word letter := fun i => letter_of (q i).

Section Rows.
Variable hash : state -> positive.
Variable b : buchi.

(* State, place, rank, and how many steps in the middle of the atomic sequence are left at most. *)
Definition row := (state * nat * N * N)%type.
Definition rows_table := PositiveMap.t (list row).
Definition rows_at (t : rows_table) (k : positive) : list row :=
  match PositiveMap.find k t with Some l => l | None => [] end.
Definition add_row (t : rows_table) (r : row) : rows_table :=
  let k := hash (fst (fst (fst r))) in PositiveMap.add k (r :: rows_at t k) t.
Definition tabulate_rows (rows : list row) : rows_table := fold_left add_row rows (PositiveMap.empty _).
Fixpoint rank_among (l : list row) (s : state) (at_ : nat) : option (N * N) :=
  match l with
  | [] => None
  | (t, q, r, way) :: rest => if Nat.eqb q at_ && same_state s t then Some (r, way) else rank_among rest s at_
  end.
Definition rank_in (t : rows_table) (s : state) (at_ : nat) : option (N * N) := rank_among (rows_at t (hash s)) s at_.

Definition is_nearer (s : state) (next : N) (from : option N) : bool :=
  match from, exclusive s with Some way, Some _ => (next <? way)%N | _, _ => true end.
Definition may_follow (t : rows_table) (rank : N) (must_fall : bool) (from : option N) (at_ : nat) (o : outcome)
    : bool :=
  match o with
  | Goes s => match rank_in t s at_ with
              | Some (next, way) =>
                  (if must_fall then (next <? rank)%N else (next <=? rank)%N) && is_nearer s way from
              | None => false
              end
  | _ => false
  end.
Definition row_is_right (t : rows_table) (r : row) : bool :=
  let '(s, at_, rank, way) := r in
  match exclusive s with
  | Some _ => forallb (may_follow t rank false (Some way) at_) (steps p s)
  | None =>
      is_readable s &&
      let l := match steps p s with [] => [Goes s] | l => l end in
      forallb (fun to => forallb (may_follow t rank (is_accepting b at_) None to) l)
        (goes b at_ (truth_of (letter_of s)))
  end.
Definition certify_claim (claim : formula) (why : reasons) (rows : list row) : bool :=
  let t := tabulate_rows rows in
  is_justified b claim why &&
  match initial p with
  | Some s => match exclusive s, rank_in t s (start_at b) with None, Some _ => true | _, _ => false end
  | None => false
  end && forallb (row_is_right t) rows.

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
    destruct (Nat.eqb q at_ && same_state s t) eqn:E.
    - apply andb_true_iff in E as [E same]. apply Nat.eqb_eq in E. apply same_state_sure in same. left. congruence.
    - right. apply IH, H. }
  destruct (tabulated _ _ _ _ inside) as [|none]; auto. unfold rows_at in none. rewrite PositiveMap.gempty in none.
  destruct none.
Qed.

Section Accepted.
Variable rows : list row.
Hypothesis all_right : forallb (row_is_right (tabulate_rows rows)) rows = true.
Notation rank_of := (rank_in (tabulate_rows rows)).

Lemma right_row : forall s at_ r way, rank_of s at_ = Some (r, way) ->
  row_is_right (tabulate_rows rows) (s, at_, r, way) = true.
Proof. intros s at_ r way H. apply ranked in H. rewrite forallb_forall in all_right. apply all_right, H. Qed.

Lemma may_follow_is : forall r must from at_ o, may_follow (tabulate_rows rows) r must from at_ o = true ->
  exists t next way, o = Goes t /\ rank_of t at_ = Some (next, way) /\ (next <= r)%N /\
    (must = true -> (next < r)%N) /\ forall n, from = Some n -> exclusive t <> None -> (way < n)%N.
Proof.
  intros r must from at_ o H. destruct o as [t|f t|]; simpl in H; try discriminate.
  destruct (rank_of t at_) as [[next way]|] eqn:R; [|discriminate]. apply andb_true_iff in H as [H nearer].
  exists t, next, way. repeat split; auto.
  - destruct must; [apply N.ltb_lt in H; lia | apply N.leb_le in H; exact H].
  - intros ->. apply N.ltb_lt in H. exact H.
  - intros n -> X. unfold is_nearer in nearer. destruct (exclusive t); [apply N.ltb_lt, nearer | congruence].
Qed.

Lemma one_step_inside : forall s t at_ r way, leads s t -> exclusive s <> None -> rank_of s at_ = Some (r, way) ->
  exists next less, rank_of t at_ = Some (next, less) /\ (next <= r)%N /\ (exclusive t <> None -> (less < way)%N).
Proof.
  intros s t at_ r way L X R. pose proof (right_row _ _ _ _ R) as right. unfold row_is_right in right.
  destruct (exclusive s); [|congruence]. rewrite forallb_forall in right.
  destruct L as [S|[f S]]; apply steps_is_step in S; specialize (right _ S); apply may_follow_is in right;
    destruct right as (t' & next & less & E & N & le & _ & nearer); [injection E as <-; eauto 6 | discriminate].
Qed.

Lemma inside_an_atomic_sequence : forall s t, passes s t -> exclusive s <> None -> forall at_ r way,
  rank_of s at_ = Some (r, way) -> exists next less, rank_of t at_ = Some (next, less) /\ (next <= r)%N.
Proof.
  intros s t P. induction P as [s t L X|s t u L X P IH]; intros Y at_ r way R.
  - destruct (one_step_inside s t at_ r way L Y R) as (next & less & N & le & _). eauto.
  - destruct (one_step_inside s t at_ r way L Y R) as (next & less & N & le & _).
    destruct (IH X at_ next less N) as (last_ & least_ & M & le'). exists last_, least_. split; auto. lia.
Qed.

(* From a free state the automaton reads a letter, and the system moves. *)
Lemma one_step : forall s x at_ to r way, exclusive s = None -> leads s x ->
  In to (goes b at_ (truth_of (letter_of s))) -> rank_of s at_ = Some (r, way) ->
  exists next less, rank_of x to = Some (next, less) /\ (next <= r)%N /\ (is_accepting b at_ = true -> (next < r)%N).
Proof.
  intros s x at_ to r way X L reads R. pose proof (right_row _ _ _ _ R) as right. unfold row_is_right in right.
  rewrite X in right. apply andb_true_iff in right as [_ right]. rewrite forallb_forall in right.
  specialize (right to reads). rewrite forallb_forall in right.
  assert (follows : forall o, step p s o -> may_follow (tabulate_rows rows) r (is_accepting b at_) None to o = true).
  { intros o S. apply steps_is_step in S. destruct (steps p s); [destruct S | auto]. }
  destruct L as [S|[f S]]; apply follows in S; apply may_follow_is in S;
    destruct S as (x' & next & less & E & N & le & falls & _); [injection E as <-; eauto 6 | discriminate].
Qed.

Lemma one_letter : forall s t at_ to r way, exclusive s = None -> goes_on s t ->
  In to (goes b at_ (truth_of (letter_of s))) -> rank_of s at_ = Some (r, way) ->
  exists next less, rank_of t to = Some (next, less) /\ (next <= r)%N /\ (is_accepting b at_ = true -> (next < r)%N).
Proof.
  intros s t at_ to r way X G reads R. destruct G as [P|[stopped ->]].
  - destruct P as [s t L Y|s x t L Y P].
    + exact (one_step s t at_ to r way X L reads R).
    + destruct (one_step s x at_ to r way X L reads R) as (next & less & N & le & falls).
      destruct (inside_an_atomic_sequence x t P Y to next less N) as (last_ & least_ & M & le').
      exists last_, least_. repeat split; auto; [lia|]. intros A. specialize (falls A). lia.
  - pose proof (right_row _ _ _ _ R) as right. unfold row_is_right in right.
    rewrite X in right. apply andb_true_iff in right as [_ right]. rewrite forallb_forall in right.
    specialize (right to reads). rewrite forallb_forall in right.
    destruct (steps p s) as [|o l] eqn:L.
    + specialize (right (Goes s) (or_introl eq_refl)). apply may_follow_is in right.
      destruct right as (x & next & less & E & N & le & falls & _). injection E as <-. eauto 6.
    + destruct (stopped o). apply steps_is_step. rewrite L. left. reflexivity.
Qed.

Lemma free_behind : forall s t, exclusive s = None -> goes_on s t -> exclusive t = None.
Proof.
  assert (arrived_is_free : forall s t, passes s t -> exclusive t = None) by (intros s t P; induction P; auto).
  intros s t X [P|[_ ->]]; [exact (arrived_is_free s t P) | exact X].
Qed.

Lemma no_run_is_accepted : forall q first way, is_run q -> exclusive (q 0) = None ->
  rank_of (q 0) (start_at b) = Some (first, way) -> ~ accepts b (letters_of q).
Proof.
  intros q first way R X has_first (a & begins_ & reads & often). destruct R as [is_first on].
  assert (free : forall i, exclusive (q i) = None).
  { induction i as [|i IH]; [exact X | exact (free_behind _ _ IH (on i))]. }
  assert (along : forall d i r l, rank_of (q i) (a i) = Some (r, l) ->
    exists next less, rank_of (q (d + i)) (a (d + i)) = Some (next, less) /\ (next <= r)%N).
  { induction d as [|d IH]; intros i r l H; simpl; [exists r, l; split; [exact H | lia]|].
    destruct (IH i r l H) as (next & less & N & le).
    destruct (one_letter _ _ _ _ _ _ (free (d + i)) (on (d + i)) (reads (d + i)) N) as (after & l' & A & le' & _).
    exists after, l'. split; auto. lia. }
  assert (ends : forall r i l, rank_of (q i) (a i) = Some (r, l) -> False).
  { intros r. induction r as [r IH] using (well_founded_induction N.lt_wf_0). intros i l H.
    destruct (often i) as (j & le & accepting_here).
    destruct (along (j - i) i r l H) as (next & less & N & below). replace (j - i + i) with j in N by lia.
    destruct (one_letter _ _ _ _ _ _ (free j) (on j) (reads j) N) as (after & l' & A & _ & falls).
    specialize (falls accepting_here). apply (IH after ltac:(lia) (S j) l' A). }
  apply (ends first 0 way). rewrite begins_. exact has_first.
Qed.

Lemma no_sequence_is_endless : forall t at_, (forall i, exclusive (t i) <> None /\ leads (t i) (t (S i))) ->
  forall way i r, rank_of (t i) at_ = Some (r, way) -> False.
Proof.
  intros t at_ inside way. induction way as [way IH] using (well_founded_induction N.lt_wf_0). intros i r R.
  destruct (inside i) as [X L]. destruct (one_step_inside _ _ _ _ _ L X R) as (next & less & N & _ & nearer).
  apply (IH less (nearer (proj1 (inside (S i)))) (S i) next N).
Qed.

Lemma no_violation_stays_inside : forall q n t w first way, exclusive (q 0) = None ->
  rank_of (q 0) (start_at b) = Some (first, way) -> (forall i, i < n -> goes_on (q i) (q (S i))) ->
  stays_inside (q n) t -> (forall i, i <= n -> w i = letter_of (q i)) -> ~ accepts b w.
Proof.
  intros q n t w first way X has_first on [enters inside] same (a & begins_ & reads & _).
  assert (along : forall i, i <= n -> exclusive (q i) = None /\ exists r l, rank_of (q i) (a i) = Some (r, l)).
  { induction i as [|i IH]; intros below.
    - split; [exact X|]. exists first, way. rewrite begins_. exact has_first.
    - destruct (IH ltac:(lia)) as [free (r & l & R)]. pose proof (on i ltac:(lia)) as G.
      split; [exact (free_behind _ _ free G)|]. pose proof (reads i) as read. rewrite same in read by lia.
      destruct (one_letter _ _ _ _ _ _ free G read R) as (next & less & N & _). eauto. }
  destruct (along n (le_n n)) as [free (r & l & R)]. pose proof (reads n) as read. rewrite same in read by lia.
  destruct (one_step _ _ _ _ _ _ free enters read R) as (next & less & N & _).
  exact (no_sequence_is_endless t (a (S n)) inside less 0 next N).
Qed.
End Accepted.

Lemma accepted_begins : forall claim why rows, certify_claim claim why rows = true ->
  is_justified b claim why = true /\ forallb (row_is_right (tabulate_rows rows)) rows = true /\
  exists s first way, initial p = Some s /\ exclusive s = None /\
    rank_in (tabulate_rows rows) s (start_at b) = Some (first, way).
Proof.
  intros claim why rows H. unfold certify_claim in H. apply andb_true_iff in H as [H all].
  apply andb_true_iff in H as [J begins_]. split; [exact J|]. split; [exact all|].
  destruct (initial p) as [s|]; [|discriminate]. destruct (exclusive s) eqn:X; [discriminate|].
  destruct (rank_in (tabulate_rows rows) s (start_at b)) as [[first way]|] eqn:K; [|discriminate].
  exists s, first, way. auto.
Qed.

(* If the rows are accepted, the program has an initial state, and every run satisfies the formula. *)
Theorem certified_rows_satisfy : forall claim why rows, certify_claim claim why rows = true ->
  initial p <> None /\ forall q, is_run q -> formulas.satisfies truth_of (letters_of q) claim.
Proof.
  intros claim why rows H. destruct (accepted_begins _ _ _ H) as (J & all & s & first & way & I & X & K).
  split; [congruence|]. intros q R. pose proof R as [E _]. rewrite I in E. injection E as E. subst s.
  apply NNPP. intros violated. apply (no_run_is_accepted rows all q first way R X K).
  apply (justified_is b claim why J). exact violated.
Qed.

(* What a run has read before it stays in an atomic sequence for ever is enough: whatever else it were to read. *)
Theorem certified_sequences_end : forall claim why rows, certify_claim claim why rows = true ->
  forall q n t, initial p = Some (q 0) -> (forall i, i < n -> goes_on (q i) (q (S i))) -> stays_inside (q n) t ->
  forall w : words.word letter, (forall i, i <= n -> w i = letter_of (q i)) -> formulas.satisfies truth_of w claim.
Proof.
  intros claim why rows H q n t begins_ on inside w same.
  destruct (accepted_begins _ _ _ H) as (J & all & s & first & way & I & X & K).
  rewrite begins_ in I. injection I as <-. apply NNPP. intros violated.
  apply (no_violation_stays_inside rows all q n t w first way X K on inside same).
  apply (justified_is b claim why J). exact violated.
Qed.
End Rows.
End Runs.
