(* What formulas of linear temporal logic mean on infinite words.

   The operators are those of src/everafter/ltl/formula.py, with conjunctions and disjunctions of two parts each;
   `holds` says of each what the textbook says (Pnueli 1977; Baier and Katoen, Principles of Model Checking, section
   5.1.2). Longer proofs go by the kernel, six operators from which all others can be written; the theorem here is
   that rewriting a formula into the kernel does not change its meaning, and does not bring in a next that was not
   there. *)
(* Proves: kernel_means_the_same, kernel_has_no_new_next, meaning_depends_on_truth *)
(* Assumes: classic (always is not eventually not) *)
From Coq Require Import Arith Lia Classical Bool.
From everafter.ltl Require Import words.

Section Formulas.
Variable proposition : Type.

Inductive formula :=
| Constant (value : bool)
| Atom (p : proposition)
| Not (f : formula)
| And (f g : formula)
| Or (f g : formula)
| Implies (f g : formula)
| Equivalent (f g : formula)
| Xor (f g : formula)
| Next (f : formula)
| Eventually (f : formula)
| Always (f : formula)
| Until (f g : formula)
| WeakUntil (f g : formula)
| Release (f g : formula)
| StrongRelease (f g : formula).

(* Letters are what a claim sees at one step; truth says which propositions a letter makes true. *)
Variable letter : Type.
Variable truth : letter -> proposition -> bool.

Definition always_from (P : nat -> Prop) (i : nat) := forall j, i <= j -> P j.
Definition until_from (P Q : nat -> Prop) (i : nat) := exists j, i <= j /\ Q j /\ forall k, i <= k -> k < j -> P k.
Definition released_from (P Q : nat -> Prop) (i : nat) := exists j, i <= j /\ P j /\ forall k, i <= k -> k <= j -> Q k.

Fixpoint holds (w : word letter) (f : formula) (i : nat) : Prop :=
  match f with
  | Constant value => value = true
  | Atom p => truth (w i) p = true
  | Not f => ~ holds w f i
  | And f g => holds w f i /\ holds w g i
  | Or f g => holds w f i \/ holds w g i
  | Implies f g => holds w f i -> holds w g i
  | Equivalent f g => holds w f i <-> holds w g i
  | Xor f g => ~ (holds w f i <-> holds w g i)
  | Next f => holds w f (S i)
  | Eventually f => exists j, i <= j /\ holds w f j
  | Always f => always_from (holds w f) i
  | Until f g => until_from (holds w f) (holds w g) i
  | WeakUntil f g => until_from (holds w f) (holds w g) i \/ always_from (holds w f) i
  | Release f g => released_from (holds w f) (holds w g) i \/ always_from (holds w g) i
  | StrongRelease f g => released_from (holds w f) (holds w g) i
  end.

Definition satisfies (w : word letter) (f : formula) := holds w f 0.

Fixpoint next_free (f : formula) : Prop :=
  match f with
  | Constant _ | Atom _ => True
  | Next _ => False
  | Not f | Eventually f | Always f => next_free f
  | And f g | Or f g | Implies f g | Equivalent f g | Xor f g
  | Until f g | WeakUntil f g | Release f g | StrongRelease f g => next_free f /\ next_free g
  end.

(* The kernel: truth, a proposition, not, and, next, until. *)
Inductive kernel :=
| Top
| Is (p : proposition)
| No (f : kernel)
| Both (f g : kernel)
| Then (f : kernel)
| Till (f g : kernel).

Fixpoint means (w : word letter) (f : kernel) (i : nat) : Prop :=
  match f with
  | Top => True
  | Is p => truth (w i) p = true
  | No f => ~ means w f i
  | Both f g => means w f i /\ means w g i
  | Then f => means w f (S i)
  | Till f g => until_from (means w f) (means w g) i
  end.

Fixpoint without_then (f : kernel) : Prop :=
  match f with
  | Top | Is _ => True
  | Then _ => False
  | No f => without_then f
  | Both f g | Till f g => without_then f /\ without_then g
  end.

Definition either f g := No (Both (No f) (No g)).
Definition same f g := Both (No (Both f (No g))) (No (Both g (No f))).
Definition forever f := No (Till Top (No f)).
Definition released f g := Till g (Both f g).

Fixpoint kernel_of (f : formula) : kernel :=
  match f with
  | Constant true => Top
  | Constant false => No Top
  | Atom p => Is p
  | Not f => No (kernel_of f)
  | And f g => Both (kernel_of f) (kernel_of g)
  | Or f g => either (kernel_of f) (kernel_of g)
  | Implies f g => No (Both (kernel_of f) (No (kernel_of g)))
  | Equivalent f g => same (kernel_of f) (kernel_of g)
  | Xor f g => No (same (kernel_of f) (kernel_of g))
  | Next f => Then (kernel_of f)
  | Eventually f => Till Top (kernel_of f)
  | Always f => forever (kernel_of f)
  | Until f g => Till (kernel_of f) (kernel_of g)
  | WeakUntil f g => either (Till (kernel_of f) (kernel_of g)) (forever (kernel_of f))
  | Release f g => either (released (kernel_of f) (kernel_of g)) (forever (kernel_of g))
  | StrongRelease f g => released (kernel_of f) (kernel_of g)
  end.

Lemma either_means : forall w f g i, means w (either f g) i <-> means w f i \/ means w g i.
Proof. intros. simpl. tauto. Qed.

Lemma same_means : forall w f g i, means w (same f g) i <-> (means w f i <-> means w g i).
Proof. intros. simpl. tauto. Qed.

Lemma forever_means : forall w f i, means w (forever f) i <-> always_from (means w f) i.
Proof.
  intros. unfold always_from. simpl. split.
  - intros never j le. apply NNPP. intros no. apply never. exists j. auto.
  - intros all (j & le & no & _). apply no. auto.
Qed.

Lemma released_means : forall w f g i, means w (released f g) i <-> released_from (means w f) (means w g) i.
Proof.
  intros. unfold released_from. simpl. split.
  - intros (j & le & [fj gj] & before). exists j. repeat split; auto.
    intros k low high. destruct (Nat.eq_dec k j) as [->|]; auto. apply before; lia.
  - intros (j & le & fj & before). exists j. repeat split; auto. intros; apply before; lia.
Qed.

Lemma until_from_same : forall P P' Q Q' i, (forall j, P j <-> P' j) -> (forall j, Q j <-> Q' j) ->
  (until_from P Q i <-> until_from P' Q' i).
Proof.
  intros P P' Q Q' i HP HQ. split; intros (j & le & Qj & before); exists j; repeat split; auto;
    try (apply HQ; auto); intros; apply HP; auto.
Qed.

Lemma released_from_same : forall P P' Q Q' i, (forall j, P j <-> P' j) -> (forall j, Q j <-> Q' j) ->
  (released_from P Q i <-> released_from P' Q' i).
Proof.
  intros P P' Q Q' i HP HQ. split; intros (j & le & Pj & before); exists j; repeat split; auto;
    try (apply HP; auto); intros; apply HQ; auto.
Qed.

Lemma always_from_same : forall P P' i, (forall j, P j <-> P' j) -> (always_from P i <-> always_from P' i).
Proof. intros P P' i HP. split; intros all j le; apply HP; auto. Qed.

Theorem kernel_means_the_same : forall w f i, holds w f i <-> means w (kernel_of f) i.
Proof.
  intros w. induction f; intros i.
  - destruct value; simpl; intuition discriminate.
  - simpl. tauto.
  - simpl. rewrite IHf. tauto.
  - simpl. rewrite IHf1, IHf2. tauto.
  - cbn [holds kernel_of]. rewrite either_means, IHf1, IHf2. tauto.
  - cbn [holds kernel_of]. rewrite IHf1, IHf2. simpl. tauto.
  - cbn [holds kernel_of]. rewrite same_means, IHf1, IHf2. tauto.
  - cbn [holds kernel_of]. change (means w (No ?k) i) with (~ means w k i). rewrite same_means, IHf1, IHf2. tauto.
  - simpl. apply IHf.
  - simpl. split.
    + intros (j & le & fj). exists j. split; auto. split; auto. apply IHf; auto.
    + intros (j & le & fj & _). exists j. split; auto. apply IHf; auto.
  - cbn [holds kernel_of]. rewrite forever_means. apply always_from_same; auto.
  - simpl. apply until_from_same; auto.
  - cbn [holds kernel_of]. rewrite either_means, forever_means. simpl.
    rewrite (until_from_same _ _ _ _ i IHf1 IHf2), (always_from_same _ _ i IHf1). tauto.
  - cbn [holds kernel_of]. rewrite either_means, forever_means, released_means.
    rewrite (released_from_same _ _ _ _ i IHf1 IHf2), (always_from_same _ _ i IHf2). tauto.
  - cbn [holds kernel_of]. rewrite released_means. apply released_from_same; auto.
Qed.

Theorem kernel_has_no_new_next : forall f, next_free f -> without_then (kernel_of f).
Proof. induction f; try destruct value; simpl; intuition. Qed.

(* Nothing but the truth of propositions counts. *)
Theorem meaning_depends_on_truth : forall w w' f, (forall i p, truth (w i) p = truth (w' i) p) ->
  forall i, holds w f i <-> holds w' f i.
Proof.
  intros w w' f same i. rewrite !kernel_means_the_same. revert i.
  induction (kernel_of f); intros i; simpl.
  - tauto.
  - rewrite same. tauto.
  - rewrite IHk. tauto.
  - rewrite IHk1, IHk2. tauto.
  - apply IHk.
  - apply until_from_same; auto.
Qed.
End Formulas.

Arguments Constant {proposition} value.
Arguments Atom {proposition} p.
Arguments Not {proposition} f.
Arguments And {proposition} f g.
Arguments Or {proposition} f g.
Arguments Implies {proposition} f g.
Arguments Equivalent {proposition} f g.
Arguments Xor {proposition} f g.
Arguments Next {proposition} f.
Arguments Eventually {proposition} f.
Arguments Always {proposition} f.
Arguments Until {proposition} f g.
Arguments WeakUntil {proposition} f g.
Arguments Release {proposition} f g.
Arguments StrongRelease {proposition} f g.
Arguments Top {proposition}.
Arguments Is {proposition} p.
Arguments No {proposition} f.
Arguments Both {proposition} f g.
Arguments Then {proposition} f.
Arguments Till {proposition} f g.
Arguments holds {proposition letter} truth w f i.
Arguments satisfies {proposition letter} truth w f.
Arguments means {proposition letter} truth w f i.
Arguments next_free {proposition} f.
Arguments without_then {proposition} f.
Arguments kernel_of {proposition} f.
