(* What an accepted certificate says of a claim, whatever automaton was used.

   A checker (certificates/deciding.v) has accepted a certificate of the product of a system with some automaton. If the
   automaton accepts every word that violates the claim, then all runs of the system satisfy the claim: an automaton
   that accepts too much can only make a certificate fail. The automaton that product/product.v builds is one such; how
   another one was made does not matter.

   The second theorem is for fair runs. A rank then names one of several sets of edges: set 0 has the edges that leave
   accepting states of the automaton, each other set is one that fair runs of the system take again and again, as for
   each process the steps that it takes and those from states in which it cannot move. *)
(* Proves: accepted_claim_holds, accepted_fair_claim_holds *)
(* Assumes: classic (a run satisfies the claim or it does not) *)
From Coq Require Import Arith Lia List Bool ZArith Classical.
From everafter.ltl Require Import words formulas.
From everafter.certificates Require Import deciding.
Import ListNotations.

Section Claims.
Variable proposition : Type.
Variable letter : Type.
Variable truth : letter -> proposition -> bool.

(* The system: each step has a tag, as for example the process that takes it. *)
Variables (state tag : Type).
Variable initial : list state.
Variable steps : state -> list (tag * state).
Variable label : state -> letter.

Definition tagged_run (q : nat -> state) (taken : nat -> tag) :=
  In (q 0) initial /\ forall i, In (taken i, q (S i)) (steps (q i)).
Definition letters_seen (q : nat -> state) : word letter := fun i => label (q i).

(* The automaton *)
Variable location : Type.
Variable entries : list location.
Variable moves : location -> letter -> list location.
Variable accepting : location -> Prop.

Definition accepts (w : word letter) := exists p,
  In (p 0) entries /\ (forall i, In (p (S i)) (moves (p i) (w i))) /\ forall i, exists j, i <= j /\ accepting (p j).

(* Their product: the automaton reads a state, and then the system moves. *)
Definition node := (state * location)%type.
Definition first_nodes : list node := list_prod initial entries.
Definition next_nodes (a : node) : list (tag * node) :=
  flat_map (fun step => map (fun p => (fst step, (snd step, p))) (moves (snd a) (label (fst a)))) (steps (fst a)).

Lemma run_of_product : forall q taken p, tagged_run q taken ->
  In (p 0) entries -> (forall i, In (p (S i)) (moves (p i) (letters_seen q i))) ->
  is_run node tag first_nodes next_nodes (fun i => (q i, p i)) (fun i t => t = taken i).
Proof.
  intros q taken p [begins goes] enters reads. split; [apply in_prod; auto|]. intros i. exists (taken i). split; auto.
  apply in_flat_map. exists (taken i, q (S i)). split; [apply goes|].
  apply (in_map (fun l => (taken i, (q (S i), l)))), reads.
Qed.

Variable claim : formula proposition.
Hypothesis accepts_violations : forall w, ~ satisfies truth w claim -> accepts w.

(* The certificate *)
Variables (rank : array) (size least : Z).
Variable is_row : Z -> node -> Prop.

Theorem accepted_claim_holds :
  accepted rank size least node tag first_nodes next_nodes (fun _ a _ _ => accepting (snd a)) (fun _ => False) is_row ->
  forall q taken, tagged_run q taken -> satisfies truth (letters_seen q) claim.
Proof.
  intros holds q taken runs. apply NNPP. intros violated.
  destruct (accepts_violations _ violated) as (p & enters & reads & often).
  destruct (run_of_product q taken p runs enters reads) as [begins goes].
  apply (decided_excludes_accepting_runs _ _ _ _ _ _ _ _ _ holds (fun i => (q i, p i))).
  - split; auto. intros i. destruct (goes i) as (t & _ & step). eauto.
  - exact often.
Qed.

(* Fair runs *)
Variable sets : Z.
Variable fair_set : Z -> state -> tag -> state -> Prop.

Definition fair (q : nat -> state) (taken : nat -> tag) := forall set, (0 < set < sets)%Z ->
  forall i, exists j, i <= j /\ fair_set set (q j) (taken j) (q (S j)).
Definition in_set (set : Z) (a : node) (t : tag) (b : node) :=
  (set = 0%Z /\ accepting (snd a)) \/ ((0 < set)%Z /\ fair_set set (fst a) t (fst b)).

Theorem accepted_fair_claim_holds : (0 < sets)%Z ->
  accepted rank size least node tag first_nodes next_nodes (fun value => in_set (value mod sets)) (fun _ => False)
    is_row ->
  forall q taken, tagged_run q taken -> fair q taken -> satisfies truth (letters_seen q) claim.
Proof.
  intros some holds q taken runs is_fair. apply NNPP. intros violated.
  destruct (accepts_violations _ violated) as (p & enters & reads & often).
  apply (decided_excludes_fair_runs _ _ _ _ _ _ _ _ _ _ some holds (fun i => (q i, p i)) taken).
  - apply run_of_product; auto.
  - intros set range i. destruct (Z.eq_dec set 0) as [->|other].
    + destruct (often i) as (j & le & here). exists j. split; auto. left. auto.
    + destruct (is_fair set ltac:(lia) i) as (j & le & here). exists j. split; auto. right. split; [lia | exact here].
Qed.
End Claims.
