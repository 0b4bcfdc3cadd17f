(* The product of a system and the automaton of a claim, and what a certificate for it proves of the system.

   A state of the product is a state of the system, a guess of the automaton (ltl/automaton.v) and the number of the
   promise that is waited for. The number goes up when that promise is kept; when all have been, the state is
   accepting, and the count begins anew: so one set of accepting states stands for all promises. Then accepting runs
   of the product are exactly the runs of the system whose word satisfies the formula.

   With verdict/certificates.v: if the rank checker accepts a certificate for the product with the negated claim,
   every run of the system satisfies the claim; if the lasso checker accepts, some run does not. No search is trusted.
   And for a system with finitely many states, one of the two certificates always exists. *)
(* Proves: product_accepts_models, certified_claim_holds, certified_violation_is_one, holding_claim_has_certificate,
   violated_claim_has_certificate *)
(* Assumes: classic, constructive_indefinite_description (through ltl/automaton.v) *)
From Coq Require Import Arith Lia List Bool.
From everafter.ltl Require Import words formulas lassos automaton.
From everafter.verdict Require Import certificates.
Import ListNotations.

Section Product.
Variable proposition : Type.
Variable same_proposition : forall p q : proposition, {p = q} + {p <> q}.
Variable letter : Type.
Variable truth : letter -> proposition -> bool.

(* The system *)
Variable state : Type.
Variable same_state : forall s t : state, {s = t} + {s <> t}.
Variable initial : list state.
Variable successors : state -> list state.
Variable label : state -> letter.

Definition system_run (q : nat -> state) := In (q 0) initial /\ forall i, In (q (S i)) (successors (q i)).
Definition word_seen (q : nat -> state) : word letter := fun i => label (q i).

Section Automaton.
Variable f : kernel proposition.

Definition waited := promises proposition f.
Definition count (g : guess proposition) (c : nat) : nat :=
  if c =? length waited then 0
  else if kept proposition same_proposition g (nth c waited Top) then S c else c.

Definition product_state := (state * guess proposition * nat)%type.

Definition same_product : forall a b : product_state, {a = b} + {a <> b}.
Proof. repeat decide equality. Defined.

Definition product_initial : list product_state :=
  flat_map (fun s => flat_map (fun g => if believes proposition same_proposition g f then [(s, g, 0)] else [])
    (guesses proposition same_proposition f)) initial.

Definition product_successors (a : product_state) : list product_state :=
  let '(s, g, c) := a in
  flat_map (fun t => flat_map (fun h =>
      if right_step proposition same_proposition letter truth f g (label s) h then [(t, h, count g c)] else [])
    (guesses proposition same_proposition f)) (successors s).

Definition product_accepting (a : product_state) : bool := snd a =? length waited.

Definition product_run := accepting_run product_state product_initial product_successors product_accepting.

Lemma initial_are : forall a, In a product_initial <->
  In (fst (fst a)) initial /\ In (snd (fst a)) (guesses proposition same_proposition f) /\
  believes proposition same_proposition (snd (fst a)) f = true /\ snd a = 0.
Proof.
  intros [[s g] c]. unfold product_initial. simpl. rewrite in_flat_map. split.
  - intros (s' & S & inside). apply in_flat_map in inside as (g' & G & inside).
    destruct (believes proposition same_proposition g' f) eqn:B; [|destruct inside].
    destruct inside as [E|[]]. injection E as -> -> <-. auto.
  - intros (S & G & B & ->). exists s. split; auto. apply in_flat_map. exists g. split; auto. rewrite B. simpl. auto.
Qed.

Lemma successors_are : forall a b, In b (product_successors a) <->
  In (fst (fst b)) (successors (fst (fst a))) /\ In (snd (fst b)) (guesses proposition same_proposition f) /\
  right_step proposition same_proposition letter truth f (snd (fst a)) (label (fst (fst a))) (snd (fst b)) = true /\
  snd b = count (snd (fst a)) (snd a).
Proof.
  intros [[s g] c] [[t h] d]. unfold product_successors. simpl. rewrite in_flat_map. split.
  - intros (t' & T & inside). apply in_flat_map in inside as (h' & H & inside).
    destruct (right_step proposition same_proposition letter truth f g (label s) h') eqn:R; [|destruct inside].
    destruct inside as [E|[]]. injection E as -> -> <-. auto.
  - intros (T & H & R & ->). exists t. split; auto. apply in_flat_map. exists h. split; auto. rewrite R. simpl. auto.
Qed.

(* Counting promises *)
Section Counting.
Variable g : nat -> guess proposition.
Variable c : nat -> nat.
Hypothesis starts : c 0 = 0.
Hypothesis counts : forall i, c (S i) = count (g i) (c i).

Definition kept_at (i promise : nat) := kept proposition same_proposition (g i) (nth promise waited Top) = true.

Lemma count_bounded : forall i, c i <= length waited.
Proof.
  induction i; [rewrite starts; lia|]. rewrite counts. unfold count.
  destruct (Nat.eqb_spec (c i) (length waited)); [lia|]. destruct (kept _ _ _ _); lia.
Qed.

Lemma count_step : forall i, c i < length waited ->
  (kept_at i (c i) /\ c (S i) = S (c i)) \/ (~ kept_at i (c i) /\ c (S i) = c i).
Proof.
  intros i less. rewrite counts. unfold count, kept_at.
  destruct (Nat.eqb_spec (c i) (length waited)); [lia|].
  destruct (kept _ _ _ _) eqn:K; [left | right]; auto.
Qed.

Lemma count_resets : forall i, c i = length waited -> c (S i) = 0.
Proof. intros i E. rewrite counts. unfold count. rewrite E, Nat.eqb_refl. reflexivity. Qed.

Lemma crossing : forall promise, promise < length waited -> forall y x, x <= y -> c x <= promise -> promise < c y ->
  exists m, x <= m /\ kept_at m promise.
Proof.
  intros promise P. induction y; intros x le low high.
  - replace x with 0 in low by lia. lia.
  - destruct (Nat.eq_dec x (S y)) as [->|]; [lia|]. destruct (le_lt_dec (c y) promise) as [under|over].
    + destruct (count_step y ltac:(lia)) as [[K E]|[_ E]]; [|lia]. exists y. split; [lia|].
      replace promise with (c y) by lia. auto.
    + apply IHy; auto. lia.
Qed.

Lemma all_kept : (forall i, exists j, i <= j /\ c j = length waited) ->
  forall promise, promise < length waited -> forall i, exists j, i <= j /\ kept_at j promise.
Proof.
  intros often promise P i. destruct (often i) as (a & A & Ca). destruct (often (S a)) as (b & B & Cb).
  destruct (crossing promise P b (S a)) as (m & M & K); auto; [rewrite count_resets; auto; lia | lia |].
  exists m. split; auto. lia.
Qed.

Lemma count_moves : forall n i, c i < length waited -> kept_at (i + n) (c i) -> exists m, i < m /\ c m = S (c i).
Proof.
  induction n; intros i less K.
  - rewrite Nat.add_0_r in K. destruct (count_step i less) as [[_ E]|[N _]]; [|contradiction]. exists (S i). auto.
  - destruct (count_step i less) as [[_ E]|[_ E]]; [exists (S i); auto|].
    destruct (IHn (S i)) as (m & M & Cm); [lia | rewrite E; replace (S i + n) with (i + S n) by lia; auto |].
    exists m. split; [lia | congruence].
Qed.

Lemma count_completes : (forall promise, promise < length waited -> forall i, exists j, i <= j /\ kept_at j promise) ->
  forall i, exists j, i <= j /\ c j = length waited.
Proof.
  intros often i. remember (length waited - c i) as d eqn:D. revert i D. induction d; intros i D.
  - exists i. split; auto. pose proof (count_bounded i). lia.
  - destruct (often (c i) ltac:(lia) i) as (j & J & K).
    destruct (count_moves (j - i) i) as (m & M & Cm); [lia | replace (i + (j - i)) with j by lia; auto |].
    destruct (IHd m) as (b & B & Cb); [lia|]. exists b. split; [lia | auto].
Qed.
End Counting.

Lemma promises_by_number : forall r, keeps_promises proposition same_proposition f r <->
  forall promise, promise < length waited -> forall i, exists j, i <= j /\ kept_at r j promise.
Proof.
  intros r. unfold keeps_promises, kept_at. fold waited. split.
  - intros all promise less i. apply all. apply nth_In. auto.
  - intros all promise inside i. destruct (In_nth _ _ Top inside) as (n & less & <-). auto.
Qed.

Theorem product_accepts_models :
  (exists r, product_run r) <-> (exists q, system_run q /\ means truth (word_seen q) f 0).
Proof.
  split.
  - intros (r & [begins steps] & often). apply initial_are in begins as (S0 & G0 & B0 & C0).
    assert (steps' := fun i => proj1 (successors_are _ _) (steps i)).
    exists (fun i => fst (fst (r i))). split; [split; auto; intros i; apply steps'|].
    apply (automaton_accepts_models proposition same_proposition letter truth). exists (fun i => snd (fst (r i))).
    split; [split; auto|].
    + intros i. split; [destruct i; [auto | apply steps'] | apply steps'].
    + apply promises_by_number. apply (all_kept _ (fun i => snd (r i))); auto; [intros i; apply steps'|].
      intros i. destruct (often i) as (j & le & accepts). exists j. split; auto. apply Nat.eqb_eq. exact accepts.
  - intros (q & [begins steps] & model).
    apply (automaton_accepts_models proposition same_proposition letter truth) in model as (g & [B0 right] & promised).
    pose (c := fix c i := match i with 0 => 0 | S j => count (g j) (c j) end).
    exists (fun i => (q i, g i, c i)). split; [split|].
    + apply initial_are. simpl. repeat split; auto. apply right.
    + intros i. apply successors_are. simpl. repeat split; auto; apply right.
    + intros i. destruct (count_completes g c eq_refl (fun j => eq_refl)) with (i := i) as (j & le & E).
      * apply promises_by_number. auto.
      * exists j. split; auto. unfold product_accepting. simpl. rewrite E. apply Nat.eqb_refl.
Qed.
End Automaton.

(* The automaton is that of the negated claim. *)
Definition violations (claim : formula proposition) := kernel_of (Not claim).

Definition accept_claim (claim : formula proposition) (certificate : ranks product_state) : bool :=
  accept_ranks product_state same_product (product_initial (violations claim)) (product_successors (violations claim))
    (product_accepting (violations claim)) certificate.

Definition accept_violation (claim : formula proposition) (l : lasso product_state) : bool :=
  accept_lasso product_state same_product (product_initial (violations claim)) (product_successors (violations claim))
    (product_accepting (violations claim)) l.

Theorem certified_claim_holds : forall claim certificate, accept_claim claim certificate = true ->
  forall q, system_run q -> satisfies truth (word_seen q) claim.
Proof.
  intros claim certificate accepted q Q. apply Classical_Prop.NNPP. intros no.
  destruct (proj2 (product_accepts_models (violations claim))) as (r & R).
  - exists q. split; auto. apply kernel_means_the_same. exact no.
  - apply (accepted_ranks_exclude_accepting_runs _ _ _ _ _ _ accepted r R).
Qed.

Theorem certified_violation_is_one : forall claim l, accept_violation claim l = true ->
  exists q, system_run q /\ ~ satisfies truth (word_seen q) claim.
Proof.
  intros claim l accepted. apply accepted_lasso_is_an_accepting_run in accepted.
  destruct (proj1 (product_accepts_models (violations claim)) (ex_intro _ _ accepted)) as (q & Q & model).
  exists q. split; auto. apply (kernel_means_the_same proposition letter truth _ (Not claim) 0) in model. exact model.
Qed.

Section Finite.
Variable states : list state.
Hypothesis begins_inside : forall s, In s initial -> In s states.
Hypothesis stays_inside : forall s t, In s states -> In t (successors s) -> In t states.
Variable claim : formula proposition.

Definition product_states : list product_state :=
  list_prod (list_prod states (guesses proposition same_proposition (violations claim)))
    (seq 0 (S (length (waited (violations claim))))).

Lemma product_states_are : forall a, In a product_states <->
  In (fst (fst a)) states /\ In (snd (fst a)) (guesses proposition same_proposition (violations claim)) /\
  snd a <= length (waited (violations claim)).
Proof.
  intros [[s g] c]. unfold product_states. cbn [fst snd]. split.
  - intros inside. apply in_prod_iff in inside as [inside C]. apply in_prod_iff in inside as [S G].
    apply in_seq in C. repeat split; auto. lia.
  - intros (S & G & C). apply in_prod; [apply in_prod; auto | apply in_seq; lia].
Qed.

Lemma product_begins_inside : forall a, In a (product_initial (violations claim)) -> In a product_states.
Proof.
  intros a inside. apply initial_are in inside as (S & G & _ & C). apply product_states_are. rewrite C.
  repeat split; auto. lia.
Qed.

Lemma product_stays_inside : forall a b, In a product_states ->
  edge product_state (product_successors (violations claim)) a b -> In b product_states.
Proof.
  intros a b inside ab. apply product_states_are in inside as (S & _ & C).
  apply successors_are in ab as (T & H & _ & D).
  apply product_states_are. rewrite D. repeat split; eauto. unfold count.
  destruct (Nat.eqb_spec (snd a) (length (waited (violations claim)))); [lia|]. destruct (kept _ _ _ _); lia.
Qed.

Theorem holding_claim_has_certificate : (forall q, system_run q -> satisfies truth (word_seen q) claim) ->
  exists certificate, accept_claim claim certificate = true.
Proof.
  intros all. apply (ranks_exist product_state same_product _ _ _ product_states).
  - apply product_begins_inside.
  - apply product_stays_inside.
  - intros r R. destruct (proj1 (product_accepts_models (violations claim)) (ex_intro _ _ R)) as (q & Q & model).
    apply (kernel_means_the_same proposition letter truth _ (Not claim) 0) in model. apply model, all, Q.
Qed.

Theorem violated_claim_has_certificate : forall q, system_run q -> ~ satisfies truth (word_seen q) claim ->
  exists l, accept_violation claim l = true.
Proof.
  intros q Q no. destruct (proj2 (product_accepts_models (violations claim))) as (r & R).
  - exists q. split; auto. apply kernel_means_the_same. exact no.
  - apply (lasso_exists product_state same_product _ _ _ product_states product_begins_inside product_stays_inside r R).
Qed.
End Finite.
End Product.
