(* Evaluating a formula on a lasso gives what it means on the infinite word.

   A lasso is a finite prefix and a nonempty cycle; it stands for the word prefix, cycle, cycle, … . Every
   counterexample is one. `evaluate` is the text of src/everafter/ltl/lasso_semantics.py clause by clause: it looks at
   each of the finitely many positions of the lasso at most once for every operator. The theorem: its answer is the
   meaning of the formula (with next) on the infinite word. So a counterexample that this judge passes does violate
   the claim. *)
(* Proves: evaluation_is_meaning, evaluation_decides *)
(* Assumes: nothing *)
From Coq Require Import Arith Lia Bool List.
From everafter.ltl Require Import words formulas.
Import ListNotations.

Section Lassos.
Variable letter : Type.

(* The cycle is first :: rest, so it is not empty. *)
Record lasso := { prefix : list letter; first : letter; rest : list letter }.

Definition cycle (l : lasso) := first l :: rest l.
Definition letters (l : lasso) := prefix l ++ cycle l.
Definition start (l : lasso) := length (prefix l).
Definition period (l : lasso) := length (cycle l).
Definition size (l : lasso) := start l + period l.

(* The place in the lasso of the n-th letter of the word. *)
Definition position (l : lasso) (n : nat) := if n <? start l then n else start l + (n - start l) mod period l.
Definition letter_at (l : lasso) (i : nat) := nth i (letters l) (first l).
Definition unrolled (l : lasso) : word letter := fun n => letter_at l (position l n).

Definition successor (l : lasso) (i : nat) := if S i <? size l then S i else start l.
Definition onwards (l : lasso) (i : nat) := seq i (size l - i) ++ seq (start l) (i - start l).

Section One.
Variable l : lasso.

Lemma period_positive : 0 < period l.
Proof. unfold period, cycle. simpl. lia. Qed.

Lemma size_letters : length (letters l) = size l.
Proof. unfold letters, size, start, period. apply app_length. Qed.

Lemma position_less : forall n, position l n < size l.
Proof.
  intros n. unfold position, size. pose proof period_positive as P.
  destruct (Nat.ltb_spec n (start l)); [lia|].
  pose proof (Nat.mod_upper_bound (n - start l) (period l)). lia.
Qed.

Lemma position_small : forall n, n < size l -> position l n = n.
Proof.
  unfold position, size. intros n less. destruct (Nat.ltb_spec n (start l)); [lia|].
  rewrite Nat.mod_small; lia.
Qed.

Lemma position_shift : forall n k, position l (position l n + k) = position l (n + k).
Proof.
  intros n k. unfold position at 2. destruct (Nat.ltb_spec n (start l)); auto.
  pose proof period_positive as P. unfold position.
  destruct (Nat.ltb_spec (start l + (n - start l) mod period l + k) (start l)); [lia|].
  destruct (Nat.ltb_spec (n + k) (start l)); [lia|]. f_equal.
  replace (start l + (n - start l) mod period l + k - start l) with ((n - start l) mod period l + k) by lia.
  rewrite Nat.add_mod_idemp_l by lia. f_equal. lia.
Qed.

Lemma position_successor : forall n, position l (S n) = successor l (position l n).
Proof.
  intros n. replace (S n) with (n + 1) by lia. rewrite <- position_shift.
  pose proof (position_less n). unfold successor. replace (position l n + 1) with (S (position l n)) by lia.
  destruct (Nat.ltb_spec (S (position l n)) (size l)) as [less|last]; [apply position_small; auto|].
  assert (E : S (position l n) = start l + period l) by (unfold size in *; lia).
  rewrite E. unfold position. pose proof period_positive.
  destruct (Nat.ltb_spec (start l + period l) (start l)); [lia|].
  replace (start l + period l - start l) with (period l) by lia. rewrite Nat.mod_same; lia.
Qed.

Lemma position_again : forall n, size l <= n -> position l n = position l (n - period l).
Proof.
  unfold size. intros n le. pose proof period_positive. unfold position.
  destruct (Nat.ltb_spec n (start l)); [lia|]. destruct (Nat.ltb_spec (n - period l) (start l)); [lia|].
  f_equal. replace (n - start l) with (n - period l - start l + 1 * period l) by lia.
  rewrite Nat.mod_add; lia.
Qed.

(* How many positions there are from here on. *)
Definition span (i : nat) := (size l - i) + (i - start l).

Lemma onwards_positions : forall n,
  onwards l (position l n) = map (fun k => position l (n + k)) (seq 0 (span (position l n))).
Proof.
  intros n. pose proof (position_less n) as less. set (i := position l n) in *.
  rewrite (map_ext _ (fun k => position l (i + k))) by (intros; symmetry; apply position_shift).
  unfold onwards, span. rewrite seq_app, map_app. f_equal.
  - transitivity (map (fun k => i + k) (seq 0 (size l - i))).
    + generalize (size l - i). intros m.
      assert (G : forall a, seq (i + a) m = map (fun k => i + k) (seq a m)).
      { induction m; intros a; simpl; auto. f_equal. rewrite <- IHm. f_equal. lia. }
      rewrite <- G. f_equal. lia.
    + apply map_ext_in. intros k inside. apply in_seq in inside. symmetry. apply position_small. lia.
  - transitivity (map (fun k => k + start l - (size l - i)) (seq (size l - i) (i - start l))).
    + generalize (i - start l). intros m. replace (0 + (size l - i)) with (size l - i) by lia.
      assert (G : forall a, size l - i <= a ->
        seq (a + start l - (size l - i)) m = map (fun k => k + start l - (size l - i)) (seq a m)).
      { induction m; intros a le; simpl; auto. f_equal. rewrite <- IHm by lia. f_equal. lia. }
      rewrite <- G by lia. f_equal. lia.
    + simpl. apply map_ext_in. intros k inside. apply in_seq in inside. unfold size in *.
      rewrite position_again by (unfold size; lia). rewrite position_small by (unfold size; lia). lia.
Qed.

(* Every later position has been met within the span. *)
Lemma met_within_span : forall n k, exists k',
  k' <= k /\ k' < span (position l n) /\ position l (n + k') = position l (n + k).
Proof.
  intros n k. induction k as [k IH] using lt_wf_ind.
  destruct (le_lt_dec (span (position l n)) k) as [le|less]; [|exists k; auto].
  pose proof period_positive. pose proof (position_less n).
  assert (far : start l + period l <= n + k /\ period l <= k).
  { unfold span, size, position in *. destruct (Nat.ltb_spec n (start l)); lia. }
  destruct (IH (k - period l)) as (k' & K1 & K2 & K3); [lia|].
  exists k'. split; [lia|]. split; auto. rewrite K3, (position_again (n + k)) by (unfold size; lia).
  f_equal. lia.
Qed.

(* Positions scanned in order: a p at every one before a q. *)
Fixpoint scan_until (p q : nat -> bool) (positions : list nat) : bool :=
  match positions with
  | [] => false
  | j :: later => if q j then true else if p j then scan_until p q later else false
  end.

Fixpoint scan_released (p q : nat -> bool) (positions : list nat) : bool :=
  match positions with
  | [] => false
  | j :: later => if negb (q j) then false else if p j then true else scan_released p q later
  end.

Lemma scan_until_finds : forall p q h m a, scan_until p q (map h (seq a m)) = true <->
  exists k, a <= k /\ k < a + m /\ q (h k) = true /\ forall j, a <= j -> j < k -> p (h j) = true.
Proof.
  intros p q h. induction m; intros a; simpl.
  - split; [discriminate|]. intros (k & ? & ? & _). lia.
  - destruct (q (h a)) eqn:Q; [split; auto; intros _; exists a; repeat split; auto; intros; lia|].
    destruct (p (h a)) eqn:P.
    + rewrite IHm. split; intros (k & low & high & Qk & before).
      * exists k. repeat split; auto; try lia. intros j jl jh.
        destruct (Nat.eq_dec j a) as [->|]; auto. apply before; lia.
      * exists k. destruct (Nat.eq_dec k a) as [->|]; [congruence|]. repeat split; auto; try lia.
        intros; apply before; lia.
    + split; [discriminate|]. intros (k & low & high & Qk & before).
      destruct (Nat.eq_dec k a) as [->|]; [congruence|]. rewrite <- P. apply before; lia.
Qed.

Lemma scan_released_is_until : forall p q positions,
  scan_released p q positions = scan_until q (fun j => p j && q j) positions.
Proof.
  intros p q. induction positions as [|j later IH]; simpl; auto.
  destruct (p j), (q j); simpl; auto.
Qed.

(* A property of the word's positions that the lasso's positions decide. *)
Definition decided_by (P : nat -> Prop) (p : nat -> bool) := forall n, P n <-> p (position l n) = true.

Lemma until_decided : forall P Q p q, decided_by P p -> decided_by Q q ->
  decided_by (until_from P Q) (fun i => scan_until p q (onwards l i)).
Proof.
  intros P Q p q HP HQ n. rewrite onwards_positions, scan_until_finds. split.
  - intros (j & le & Qj & before). destruct (met_within_span n (j - n)) as (k & K1 & K2 & K3).
    exists k. split; [lia|]. split; [lia|]. split.
    + rewrite K3. apply HQ. replace (n + (j - n)) with j by lia. auto.
    + intros m _ less. apply HP. apply before; lia.
  - intros (k & _ & _ & Qk & before). exists (n + k). split; [lia|]. split; [apply HQ; auto|].
    intros m low high. apply HP. replace m with (n + (m - n)) by lia. apply before; lia.
Qed.

Lemma always_decided : forall P p, decided_by P p -> decided_by (always_from P) (fun i => forallb p (onwards l i)).
Proof.
  intros P p HP n. rewrite onwards_positions, forallb_forall. split.
  - intros all i inside. apply in_map_iff in inside as (k & <- & _). apply HP, all. lia.
  - intros all j le. apply HP. destruct (met_within_span n (j - n)) as (k & K1 & K2 & K3).
    replace j with (n + (j - n)) by lia. rewrite <- K3. apply all, in_map_iff. exists k. split; auto.
    apply in_seq. lia.
Qed.

Lemma eventually_decided : forall P p, decided_by P p ->
  decided_by (fun n => exists j, n <= j /\ P j) (fun i => existsb p (onwards l i)).
Proof.
  intros P p HP n. rewrite onwards_positions, existsb_exists. split.
  - intros (j & le & Pj). destruct (met_within_span n (j - n)) as (k & K1 & K2 & K3).
    exists (position l (n + k)). split; [apply in_map_iff; exists k; split; auto; apply in_seq; lia|].
    rewrite K3. apply HP. replace (n + (j - n)) with j by lia. auto.
  - intros (i & inside & pi). apply in_map_iff in inside as (k & <- & _). exists (n + k). split; [lia|].
    apply HP. auto.
Qed.

Lemma released_decided : forall P Q p q, decided_by P p -> decided_by Q q ->
  decided_by (released_from P Q) (fun i => scan_released p q (onwards l i)).
Proof.
  intros P Q p q HP HQ n. rewrite scan_released_is_until.
  assert (HPQ : decided_by (fun j => P j /\ Q j) (fun j => p j && q j)).
  { intros j. rewrite andb_true_iff, <- (HP j), <- (HQ j). tauto. }
  rewrite <- (until_decided _ _ _ _ HQ HPQ n). unfold released_from, until_from. split.
  - intros (j & le & Pj & before). exists j. repeat split; auto. intros; apply before; lia.
  - intros (j & le & [Pj Qj] & before). exists j. repeat split; auto. intros k low high.
    destruct (Nat.eq_dec k j) as [->|]; auto. apply before; lia.
Qed.
End One.

Variable proposition : Type.
Variable truth : letter -> proposition -> bool.

Fixpoint evaluate (l : lasso) (f : formula proposition) (i : nat) : bool :=
  match f with
  | Constant value => value
  | Atom p => truth (letter_at l i) p
  | Not f => negb (evaluate l f i)
  | And f g => evaluate l f i && evaluate l g i
  | Or f g => evaluate l f i || evaluate l g i
  | Implies f g => negb (evaluate l f i) || evaluate l g i
  | Equivalent f g => eqb (evaluate l f i) (evaluate l g i)
  | Xor f g => negb (eqb (evaluate l f i) (evaluate l g i))
  | Next f => evaluate l f (successor l i)
  | Eventually f => existsb (evaluate l f) (onwards l i)
  | Always f => forallb (evaluate l f) (onwards l i)
  | Until f g => scan_until (evaluate l f) (evaluate l g) (onwards l i)
  | WeakUntil f g => scan_until (evaluate l f) (evaluate l g) (onwards l i) || forallb (evaluate l f) (onwards l i)
  | Release f g => scan_released (evaluate l f) (evaluate l g) (onwards l i) || forallb (evaluate l g) (onwards l i)
  | StrongRelease f g => scan_released (evaluate l f) (evaluate l g) (onwards l i)
  end.

Theorem evaluation_is_meaning : forall l f n,
  holds truth (unrolled l) f n <-> evaluate l f (position l n) = true.
Proof.
  intros l. induction f; intros n; cbn [holds evaluate].
  - tauto.
  - tauto.
  - rewrite IHf, negb_true_iff. destruct (evaluate l f (position l n)); intuition congruence.
  - rewrite IHf1, IHf2, andb_true_iff. tauto.
  - rewrite IHf1, IHf2, orb_true_iff. tauto.
  - rewrite IHf1, IHf2. destruct (evaluate l f1 (position l n)), (evaluate l f2 (position l n)); simpl; intuition.
  - rewrite IHf1, IHf2. destruct (evaluate l f1 (position l n)), (evaluate l f2 (position l n)); simpl; intuition.
  - rewrite IHf1, IHf2. destruct (evaluate l f1 (position l n)), (evaluate l f2 (position l n)); simpl; intuition.
  - rewrite <- position_successor. apply IHf.
  - apply (eventually_decided l _ _ IHf).
  - apply (always_decided l _ _ IHf).
  - apply (until_decided l _ _ _ _ IHf1 IHf2).
  - rewrite orb_true_iff, <- (until_decided l _ _ _ _ IHf1 IHf2 n), <- (always_decided l _ _ IHf1 n). tauto.
  - rewrite orb_true_iff, <- (released_decided l _ _ _ _ IHf1 IHf2 n), <- (always_decided l _ _ IHf2 n). tauto.
  - apply (released_decided l _ _ _ _ IHf1 IHf2).
Qed.

(* Proof of everafter.ltl.lasso_semantics.holds *)
Theorem evaluation_decides : forall l f, evaluate l f 0 = true <-> satisfies truth (unrolled l) f.
Proof.
  intros l f. unfold satisfies. rewrite evaluation_is_meaning, position_small; [tauto|].
  pose proof (period_positive l). unfold size. lia.
Qed.
End Lassos.

Arguments prefix {letter} l.
Arguments first {letter} l.
Arguments rest {letter} l.
Arguments cycle {letter} l.
Arguments letters {letter} l.
Arguments start {letter} l.
Arguments period {letter} l.
Arguments size {letter} l.
Arguments position {letter} l n.
Arguments letter_at {letter} l i.
Arguments unrolled {letter} l.
Arguments successor {letter} l i.
Arguments onwards {letter} l i.
Arguments evaluate {letter proposition} truth l f i.

(* The judge at work: p in the prefix, then p false and q true by turns. *)
Section Shown.
Definition answers (l : nat) (p : nat) := Nat.eqb l p.
Definition shown : lasso nat := {| prefix := [0; 0]; first := 2; rest := [1] |}.
Example until_holds : evaluate answers shown (Until (Atom 0) (Atom 2)) 0 = true.
Proof. reflexivity. Qed.
Example always_fails : evaluate answers shown (Always (Eventually (Atom 0))) 0 = false.
Proof. reflexivity. Qed.
Example comes_again : evaluate answers shown (Always (Eventually (Next (Atom 1)))) 0 = true.
Proof. reflexivity. Qed.
End Shown.
