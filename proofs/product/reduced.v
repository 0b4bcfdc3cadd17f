(* Reduction and the product: it is enough that no cycle of rows has something left out in each.

   A certificate of a formula lists rows of a product, states of the system together with those of an automaton. Steps
   are left out by a choice that sees the state of the system alone. conditions.v and listed.v ask that in the system no
   cycle goes on leaving out; but a checker sees rows, and where the automaton has nowhere to go there are none. It is
   enough all the same, if the claim cannot tell stutter-equivalent words apart.

   Why: follow a run that violates the claim, as conditions.v does. However far it is followed, what has been taken and
   what is still to come together make a word that violates the claim, up to stuttering the same one; so the automaton
   can read it, and the rows along what has been taken are listed. Rows are finitely many. So the follower cannot go on
   leaving out for longer than there are rows, else some row would come twice. Then it copies a step of the run, and in
   the end it is stutter-equivalent to it: a reduced run violates the claim as well. *)
(* Proves: violations_are_kept, accepted_reduced_claim_holds *)
(* Assumes: classic, constructive_indefinite_description (through reduction/conditions.v) *)
From Coq Require Import Arith Lia List Bool ZArith Classical.
From everafter.ltl Require Import words formulas.
From everafter.search Require Import ranking.
From everafter.reduction Require Import conditions listed.
From everafter.certificates Require deciding.
From everafter.product Require Import claims.
Import ListNotations.
Open Scope nat_scope.

(* The first n letters of one word, then another word. *)
Definition join {letter} (n : nat) (u x : word letter) : word letter := fun i => if i <? n then u i else x (i - n).

Lemma strayed : forall letter n (u x z : word letter), condenses x z -> u n = z 0 ->
  stutter_equivalent (join n u x) (join (S n) u z).
Proof.
  intros letter n u x z (f & F & same) first. pose proof (starts_grow f F) as grow. destruct F as [F0 F1].
  exists (fun k => if k <=? n then k else n + f (k - n)), (fun k => if k <=? n then k else S k).
  split; [|split].
  - split; [reflexivity|]. intros k. destruct (Nat.leb_spec k n), (Nat.leb_spec (S k) n); try lia.
    + replace k with n by lia. replace (S n - n) with 1 by lia. specialize (grow 0 1). lia.
    + replace (S k - n) with (S (k - n)) by lia. specialize (F1 (k - n)). lia.
  - split; [reflexivity|]. intros k. destruct (Nat.leb_spec k n), (Nat.leb_spec (S k) n); lia.
  - unfold in_block, join. intros k i j [low high] [low' high'].
    destruct (Nat.leb_spec k n), (Nat.leb_spec (S k) n); try lia.
    + replace i with k by lia. replace j with k by lia.
      destruct (Nat.ltb_spec k n), (Nat.ltb_spec k (S n)); auto; lia.
    + assert (k = n) by lia. subst k. replace (S n - n) with 1 in high by lia.
      destruct (Nat.ltb_spec i n); [lia|]. rewrite (same 0 (i - n)) by (unfold in_block; lia).
      destruct (Nat.ltb_spec j (S n)); [replace j with n by lia; auto|]. f_equal. lia.
    + replace (S k - n) with (S (k - n)) in high by lia. destruct (Nat.ltb_spec i n); [lia|].
      rewrite (same (k - n) (i - n)) by (unfold in_block; lia).
      destruct (Nat.ltb_spec j (S n)); [lia|]. f_equal. lia.
Qed.

Section Reduced.
Variables state action letter : Type.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable label : state -> letter.
Variable taken : state -> action -> Prop.

(* The automaton, and the words that it must accept *)
Variable location : Type.
Variable entries : list location.
Variable moves : location -> letter -> list location.
Variable accepting : location -> Prop.
Variable violates : word letter -> Prop.
Hypothesis violations_are_accepted : forall x, violates x -> accepts letter location entries moves accepting x.
Hypothesis violations_stutter : forall x y, stutter_equivalent x y -> violates x -> violates y.

(* The rows: what can be reached by taken steps, while the automaton reads *)
Variable start : state.
Inductive row : state -> location -> Prop :=
| first_row : forall p, In p entries -> row start p
| next_row : forall s p a q, row s p -> taken s a -> In q (moves p (label s)) -> row (execute s a) q.
Definition listed (s : state) := exists p, row s p.

Notation everything := (everything_taken state action enabled taken).
Notation put_off := (puts_off state action enabled execute taken).
Notation state_after := (after state action execute).

Hypothesis row_subset : forall s a, listed s -> taken s a -> enabled s a.
Hypothesis row_nonempty : forall s a, listed s -> enabled s a -> exists b, taken s b.
Hypothesis row_independent : forall s w k b, listed s -> ~ everything s -> taken s b ->
  put_off s w (S k) -> commute_at state action enabled execute (state_after s w k) (w k) b.
Hypothesis row_invisible : forall s w k b, listed s -> ~ everything s -> taken s b -> put_off s w k ->
  enabled (state_after s w k) b -> label (execute (state_after s w k) b) = label (state_after s w k).

(* A step between rows where something is left out *)
Definition row_alone (a b : state * location) := row (fst a) (snd a) /\ ~ everything (fst a) /\
  (exists c, taken (fst a) c /\ fst b = execute (fst a) c) /\ In (snd b) (moves (snd a) (label (fst a))).
Variable rows : list (state * location).
Hypothesis rows_are_finite : forall s p, row s p -> In (s, p) rows.
Hypothesis no_cycle_of_rows : forall a, ~ way row_alone a a.

Notation completion := (completed state action enabled taken listed).
Notation anywhere := (anywhere state).
Notation follower := (follower state action anywhere enabled execute).
Notation place := (place state action anywhere enabled execute).
Notation future_word := (future_word state action letter anywhere enabled execute label).
Notation follows := (follows state action letter anywhere enabled execute label completion).

Section Followed.
Variable choice : follower -> action * follower.
Hypothesis choice_follows : forall c, follows c (fst (choice c)) (snd (choice c)).
Variable c : follower.
Hypothesis begins : place c = start.
Hypothesis violated : violates (future_word c).

Notation at_step := (follower_at state action anywhere enabled execute choice c).
Definition seen_so_far : word letter := fun n => label (place (at_step n)).

Lemma future_begins : forall d, future_word d 0 = label (place d).
Proof. reflexivity. Qed.

(* What has been taken, and what is still to come, violate the claim together. *)
Lemma still_violated : forall n, violates (join n seen_so_far (future_word (at_step n))).
Proof.
  induction n as [|n IH].
  - apply (violations_stutter (future_word c)); auto. apply stutter_equivalent_same. intros i. unfold join. simpl.
    rewrite Nat.sub_0_r. reflexivity.
  - apply (violations_stutter _ _) with (2 := IH). rewrite follower_next.
    destruct (copies_or_strays state action letter anywhere enabled execute label completion choice choice_follows
      (at_step n)) as [(_ & unseen & less)|copied].
    + apply strayed; [exact less|]. unfold seen_so_far. rewrite <- unseen. reflexivity.
    + apply stutter_equivalent_same. intros i. unfold join.
      destruct (Nat.ltb_spec i n), (Nat.ltb_spec i (S n)); auto; try lia.
      * replace i with n by lia. rewrite Nat.sub_diag. reflexivity.
      * rewrite copied. f_equal. lia.
Qed.

Lemma place_next : forall n, exists b, completion (place (at_step n)) b /\
  place (at_step (S n)) = execute (place (at_step n)) b.
Proof.
  intros n. destruct (choice_follows (at_step n)) as (T & moved & _). exists (fst (choice (at_step n))). split; auto.
Qed.

(* So the automaton can read it, along rows. *)
Lemma rows_along : forall n, exists p, (forall i, i < n -> In (p (S i)) (moves (p i) (seen_so_far i))) /\
  forall i, i <= n -> row (place (at_step i)) (p i).
Proof.
  intros n. destruct (violations_are_accepted _ (still_violated n)) as (p & enters & reads & _). exists p.
  assert (read : forall i, i < n -> In (p (S i)) (moves (p i) (seen_so_far i))).
  { intros i less. specialize (reads i). unfold join in reads. destruct (Nat.ltb_spec i n); [auto | lia]. }
  split; auto. induction i as [|i IH]; intros le.
  - change (at_step 0) with c. rewrite begins. apply first_row. auto.
  - specialize (IH ltac:(lia)). destruct (place_next i) as (b & T & ->).
    apply (completed_where_listed state action enabled taken listed) in T; [|exists (p i); auto].
    apply next_row with (p := p i); auto. apply read. lia.
Qed.

Lemma always_listed : forall n, listed (place (at_step n)).
Proof. intros n. destruct (rows_along n) as (p & _ & row). exists (p n). auto. Qed.

Definition stray (n : nat) := strays state action letter anywhere enabled execute label completion
  (at_step n) (at_step (S n)).

Lemma twice : forall (A : Type) (f : nat -> A) all n, (forall i, i <= n -> In (f i) all) -> length all <= n ->
  exists i j, i < j /\ j <= n /\ f i = f j.
Proof.
  intros A f all n inside few.
  destruct (classic (NoDup (map f (seq 0 (S n))))) as [once|again].
  - exfalso. assert (incl (map f (seq 0 (S n))) all).
    { intros x X. apply in_map_iff in X as (i & <- & I). apply in_seq in I. apply inside. lia. }
    pose proof (NoDup_incl_length once H) as L. rewrite map_length, seq_length in L. lia.
  - apply NNPP. intros none. apply again. clear again inside few.
    assert (apart : forall m k, m + k <= S n -> NoDup (map f (seq m k))).
    { intros m k. revert m. induction k as [|k IH]; intros m le; simpl; constructor; [|apply IH; lia].
      intros X. apply in_map_iff in X as (j & E & J). apply in_seq in J. apply none. exists m, j.
      repeat split; auto; lia. }
    apply apart. lia.
Qed.

Lemma not_for_ever : forall m, exists n, m <= n /\ ~ stray n.
Proof.
  intros m. apply NNPP. intros none.
  assert (all : forall n, m <= n -> stray n) by (intros n le; apply NNPP; intros no; apply none; eauto).
  set (many := length rows). destruct (rows_along (m + many)) as (p & reads & there).
  destruct (twice _ (fun i => (place (at_step (m + i)), p (m + i))) rows many) as (i & j & less & le & same).
  { intros i le. apply rows_are_finite, there. lia. }
  { auto. }
  assert (walk : forall d, i + S d <= many ->
    way row_alone (place (at_step (m + i)), p (m + i)) (place (at_step (m + (i + S d))), p (m + (i + S d)))).
  { assert (step : forall k, k < m + many -> m <= k ->
      row_alone (place (at_step k), p k) (place (at_step (S k)), p (S k))).
    { intros k low high. destruct (all k high) as ((_ & NE & b & T & moved) & _).
      destruct (leaving_out_is_listed state action enabled taken listed _ NE) as [L NT].
      split; [apply there; lia|]. split; auto. split; [|apply reads; lia].
      exists b. split; auto. apply (completed_where_listed state action enabled taken listed) in T; auto. }
    induction d as [|d IH]; intros room.
    - apply way_edge. replace (m + (i + 1)) with (S (m + i)) by lia. apply step; lia.
    - eapply way_trans; [apply IH; lia|]. apply way_edge.
      replace (m + (i + S (S d))) with (S (m + (i + S d))) by lia. apply step; lia. }
  specialize (walk (j - i - 1)). replace (i + S (j - i - 1)) with j in walk by lia.
  specialize (walk ltac:(lia)). rewrite <- same in walk. exact (no_cycle_of_rows _ walk).
Qed.

Lemma always_settles : forall n,
  settles state action letter anywhere enabled execute label completion choice (at_step n).
Proof.
  intros n. destruct (not_for_ever n) as (k & le & no). remember (k - n) as d eqn:D. revert n le D.
  induction d as [|d IH]; intros n le D; constructor; intros x [-> S].
  - exfalso. apply no. replace k with n by lia. exact S.
  - rewrite <- follower_next. apply IH; lia.
Qed.
End Followed.

Theorem violations_are_kept : forall w, run state action enabled execute start w ->
  violates (word_of state action letter execute label start w) ->
  exists w', reduced_run state action execute taken start w' /\
    stutter_equivalent (word_of state action letter execute label start w)
      (word_of state action letter execute label start w').
Proof.
  intros w V bad.
  assert (R : reachable state action anywhere enabled execute start) by (apply reachable_initial; exact I).
  destruct (settled_run_has_a_reduced_run state action letter anywhere enabled execute label completion)
    with (s := start) (w := w) (R := R) (V := V) as (w' & W & same).
  - apply completed_subset; auto.
  - apply completed_nonempty; auto.
  - apply completed_independent; auto.
  - apply completed_invisible; auto.
  - intros choice F n. apply always_settles; auto.
  - exists w'. split; auto.
    destruct (violations_are_accepted _ (violations_stutter _ _ same bad)) as (p & enters & reads & _).
    assert (along : forall n, row (state_after start w' n) (p n)).
    { induction n as [|n IH]; [apply first_row; auto|]. simpl. apply next_row with (p := p n); auto; [|apply reads].
      apply (completed_where_listed state action enabled taken listed); [exists (p n); auto | apply W]. }
    intros n. apply (completed_where_listed state action enabled taken listed); [exists (p n); auto | apply W].
Qed.
End Reduced.

(* With a certificate: what is decided of the rows of the reduced product holds of all runs of the system. *)
Section Decided.
Variables state action letter proposition : Type.
Variable truth : letter -> proposition -> bool.
Variable enabled : state -> action -> Prop.
Variable execute : state -> action -> state.
Variable label : state -> letter.
Variable taken_there : state -> list action.
Variable location : Type.
Variable entries : list location.
Variable moves : location -> letter -> list location.
Variable accepting : location -> Prop.
Variable claim : formula proposition.
Variable start : state.
Variable rows : list (state * location).

Definition taken (s : state) (a : action) := In a (taken_there s).
Definition steps_taken (s : state) : list (action * state) := map (fun a => (a, execute s a)) (taken_there s).
Definition is_listed := listed state action letter execute label taken location entries moves start.

(* What is asked of the rows: the hypotheses of conditions.v, where something is left out. *)
Record rows_suffice : Prop := {
  rows_subset : forall s a, is_listed s -> taken s a -> enabled s a;
  rows_nonempty : forall s a, is_listed s -> enabled s a -> exists b, taken s b;
  rows_independent : forall s w k b, is_listed s -> ~ everything_taken state action enabled taken s -> taken s b ->
    puts_off state action enabled execute taken s w (S k) ->
    commute_at state action enabled execute (after state action execute s w k) (w k) b;
  rows_invisible : forall s w k b, is_listed s -> ~ everything_taken state action enabled taken s -> taken s b ->
    puts_off state action enabled execute taken s w k -> enabled (after state action execute s w k) b ->
    label (execute (after state action execute s w k) b) = label (after state action execute s w k);
  rows_finite : forall s p, row state action letter execute label taken location entries moves start s p ->
    In (s, p) rows;
  rows_wellfounded : forall a,
    ~ way (row_alone state action letter enabled execute label taken location entries moves start) a a }.

Hypothesis sufficing : rows_suffice.
Hypothesis accepts_violations : forall x, ~ satisfies truth x claim ->
  accepts letter location entries moves accepting x.
Hypothesis claim_stutters : forall x y, stutter_equivalent x y -> satisfies truth x claim -> satisfies truth y claim.

Theorem accepted_reduced_claim_holds : forall rank size least is_row,
  deciding.accepted rank size least (state * location) action (first_nodes state [start] location entries)
    (next_nodes letter state action steps_taken label location moves) (fun _ a _ _ => accepting (snd a))
    (fun _ => False) is_row ->
  forall w, run state action enabled execute start w ->
  satisfies truth (word_of state action letter execute label start w) claim.
Proof.
  intros rank size least is_row holds w W. apply NNPP. intros violated. destruct sufficing as [S1 S2 S3 S4 S5 S6].
  destruct (violations_are_kept state action letter enabled execute label taken location entries moves accepting
    (fun x => ~ satisfies truth x claim) accepts_violations) with (start := start) (rows := rows) (w := w)
    as (w' & R & same); auto.
  { intros x y equal no yes. apply no. exact (claim_stutters y x (stutter_equivalent_sym _ x y equal) yes). }
  apply violated. apply (claim_stutters _ _ (stutter_equivalent_sym _ _ _ same)).
  apply (accepted_claim_holds proposition letter truth state action [start] steps_taken label location entries moves
    accepting claim accepts_violations rank size least is_row holds (after state action execute start w') w').
  split; [simpl; auto|]. intros i. unfold steps_taken. apply in_map_iff. exists (w' i). split; auto. apply R.
Qed.
End Decided.
