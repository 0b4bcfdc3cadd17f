(* Programs: processes with control-flow graphs, local and global variables, and what a step of one does.

   The language is that of Brunner and Lammich (2018, section 3.7), called SM there, with its expressions left open:
   an edge of a control-flow graph has a guard and an effect, any functions of the local and the global variables, and
   two lists, of the global variables that it reads and of those that it writes. An edge is honest if the lists are
   complete; an access missing there would make reduction unsound. What is honest is a matter of definition here and
   of proof for the language of reduction/commands.v.

   An action is a step of one process along one edge; where there is none, the program stutters, so every run is
   infinite. The theorem of this file: two steps of different processes whose edges do not get into each other's way
   (neither writes what the other reads or writes) commute, in every state. *)
(* Proves: steps_commute *)
(* Assumes: nothing *)
From Coq Require Import Arith Lia List Bool ZArith.
Import ListNotations.

(* Lists as stores *)

Definition store := list Z.
Definition read (g : store) (v : nat) : Z := nth v g 0%Z.

Fixpoint update {A} (l : list A) (n : nat) (x : A) : list A :=
  match l, n with
  | [], _ => []
  | _ :: others, 0 => x :: others
  | a :: others, S m => a :: update others m x
  end.

Lemma update_length : forall A (l : list A) n x, length (update l n x) = length l.
Proof. induction l; intros [|n] x; simpl; auto. Qed.

Lemma update_same : forall A (l : list A) n x y, nth_error l n = Some y -> nth_error (update l n x) n = Some x.
Proof. induction l; intros [|n] x y; simpl; try discriminate; eauto. Qed.

Lemma update_other : forall A (l : list A) n m x, n <> m -> nth_error (update l n x) m = nth_error l m.
Proof. induction l; intros [|n] [|m] x different; simpl; auto; try congruence. Qed.

Lemma update_commutes : forall A (l : list A) n m x y, n <> m -> update (update l n x) m y = update (update l m y) n x.
Proof. induction l; intros [|n] [|m] x y different; simpl; auto; try congruence. f_equal. auto. Qed.

Lemma read_update_other : forall g n m x, n <> m -> read (update g n x) m = read g m.
Proof. unfold read. induction g; intros [|n] [|m] x different; simpl; auto; try congruence. Qed.

Lemma stores_equal : forall g h : store, length g = length h -> (forall v, read g v = read h v) -> g = h.
Proof. intros g h L E. apply nth_ext with (d := 0%Z) (d' := 0%Z); auto. intros; apply E. Qed.

Definition agree (variables : list nat) (g h : store) := forall v, In v variables -> read g v = read h v.

(* Programs *)

Record edge := {
  from : nat;
  to : nat;
  guard : store -> store -> bool;
  effect : store -> store -> store * store;
  reads : list nat;
  writes : list nat }.

Definition touches (e : edge) := reads e ++ writes e.

(* The lists of an edge are complete: nothing else is written, and what is not touched does not matter. *)
Record honest (e : edge) : Prop := {
  guard_reads : forall l g h, length g = length h -> agree (touches e) g h -> guard e l g = guard e l h;
  effect_keeps_size : forall l g, length (snd (effect e l g)) = length g;
  effect_writes : forall l g v, ~ In v (writes e) -> read (snd (effect e l g)) v = read g v;
  effect_reads : forall l g h, length g = length h -> agree (touches e) g h ->
    fst (effect e l g) = fst (effect e l h) /\ agree (writes e) (snd (effect e l g)) (snd (effect e l h)) }.

Definition text := list edge.
Definition program := list text.

(* A state: the global variables, and for each process its place of control and local variables. *)
Record state := { globals : store; processes : list (nat * store) }.

Inductive action := Stutter | Step (process number : nat).

Section Semantics.
Variable P : program.

Definition edge_of (p i : nat) : option edge :=
  match nth_error P p with Some t => nth_error t i | None => None end.

Lemma edge_in_text : forall p i e, edge_of p i = Some e -> exists t, nth_error P p = Some t /\ nth_error t i = Some e.
Proof. unfold edge_of. intros p i e E. destruct (nth_error P p) as [t|]; [eauto | discriminate]. Qed.

Definition can_move (s : state) (p i : nat) : bool :=
  match edge_of p i, nth_error (processes s) p with
  | Some e, Some (place, locals) => (from e =? place) && guard e locals (globals s)
  | _, _ => false
  end.

Definition execute (s : state) (a : action) : state :=
  match a with
  | Stutter => s
  | Step p i =>
      match edge_of p i, nth_error (processes s) p with
      | Some e, Some (_, locals) =>
          {| globals := snd (effect e locals (globals s));
             processes := update (processes s) p (to e, fst (effect e locals (globals s))) |}
      | _, _ => s
      end
  end.

(* The steps of a process, and everything that can happen. *)
Definition moves (s : state) (p : nat) : list nat :=
  match nth_error P p with Some t => filter (can_move s p) (seq 0 (length t)) | None => [] end.

Definition steps (s : state) : list action := flat_map (fun p => map (Step p) (moves s p)) (seq 0 (length P)).

Definition enabled_list (s : state) : list action := match steps s with [] => [Stutter] | some => some end.
Definition enabled (s : state) (a : action) : Prop := In a (enabled_list s).

Lemma moves_are : forall s p i, In i (moves s p) <-> can_move s p i = true.
Proof.
  intros s p i. unfold moves, can_move, edge_of. destruct (nth_error P p) as [t|]; [|simpl; intuition discriminate].
  rewrite filter_In, in_seq. unfold can_move, edge_of. split; [tauto|]. intros can. split; auto.
  destruct (nth_error t i) eqn:E; [|discriminate]. assert (i < length t); [|lia].
  apply nth_error_Some. congruence.
Qed.

Lemma steps_are : forall s a, In a (steps s) <-> exists p i, a = Step p i /\ can_move s p i = true.
Proof.
  intros s a. unfold steps. rewrite in_flat_map. split.
  - intros (p & _ & inside). apply in_map_iff in inside as (i & <- & M). exists p, i. split; auto.
    apply moves_are. auto.
  - intros (p & i & -> & can). exists p. split; [|apply in_map, moves_are; auto].
    apply in_seq. unfold can_move, edge_of in can. destruct (nth_error P p) eqn:E; [|discriminate].
    assert (p < length P); [|lia]. apply nth_error_Some. congruence.
Qed.

Lemma step_enabled : forall s p i, enabled s (Step p i) <-> can_move s p i = true.
Proof.
  intros s p i. unfold enabled, enabled_list. split.
  - intros inside. assert (H : In (Step p i) (steps s)).
    { destruct (steps s); auto. destruct inside as [?|[]]. discriminate. }
    apply steps_are in H as (q & j & E & can). injection E as -> ->. auto.
  - intros can. assert (H : In (Step p i) (steps s)) by (apply steps_are; eauto).
    destruct (steps s); [destruct H | auto].
Qed.

Lemma stutter_enabled : forall s, enabled s Stutter -> forall p i, can_move s p i = false.
Proof.
  intros s inside p i. unfold enabled, enabled_list in inside. destruct (can_move s p i) eqn:can; auto.
  assert (H : In (Step p i) (steps s)) by (apply steps_are; eauto).
  assert (K : In Stutter (steps s) -> False) by (intros B; apply steps_are in B as (? & ? & ? & _); discriminate).
  destruct (steps s); [destruct H | destruct (K inside)].
Qed.

Lemma something_enabled : forall s, enabled_list s <> [].
Proof. intros s. unfold enabled_list. destruct (steps s); discriminate. Qed.

(* A step that can be taken, taken apart. *)
Lemma moving : forall s p i, can_move s p i = true -> exists e place locals,
  edge_of p i = Some e /\ nth_error (processes s) p = Some (place, locals) /\ from e = place /\
  guard e locals (globals s) = true /\
  execute s (Step p i) = {| globals := snd (effect e locals (globals s));
                            processes := update (processes s) p (to e, fst (effect e locals (globals s))) |}.
Proof.
  intros s p i can. unfold can_move in can. simpl.
  destruct (edge_of p i) as [e|]; [|discriminate].
  destruct (nth_error (processes s) p) as [[place locals]|]; [|discriminate].
  apply andb_prop in can as [at_place open]. apply Nat.eqb_eq in at_place. exists e, place, locals. auto.
Qed.

Definition disjoint (xs ys : list nat) : bool := forallb (fun x => negb (existsb (Nat.eqb x) ys)) xs.
Definition independent_edges (e d : edge) : bool :=
  disjoint (writes e) (touches d) && disjoint (writes d) (touches e).

Lemma disjoint_is : forall xs ys, disjoint xs ys = true -> forall v, In v xs -> In v ys -> False.
Proof.
  unfold disjoint. intros xs ys apart v X Y. rewrite forallb_forall in apart. specialize (apart v X).
  apply negb_true_iff in apart. assert (existsb (Nat.eqb v) ys = true); [|congruence].
  apply existsb_exists. exists v. split; auto. apply Nat.eqb_refl.
Qed.

Lemma independent_edges_sym : forall e d, independent_edges e d = true -> independent_edges d e = true.
Proof. unfold independent_edges. intros e d I. rewrite andb_comm. exact I. Qed.

(* What one edge writes, the other does not touch. *)
Lemma effect_leaves : forall e d l g, honest e -> independent_edges e d = true ->
  length g = length (snd (effect e l g)) /\ agree (touches d) g (snd (effect e l g)).
Proof.
  intros e d l g E I. apply andb_prop in I as [apart _]. split; [symmetry; apply (effect_keeps_size e E)|].
  intros v touched. symmetry. apply (effect_writes e E). intros written. eapply disjoint_is; eauto.
Qed.

Lemma effects_commute : forall e d l m g, honest e -> honest d -> independent_edges e d = true ->
  snd (effect d m (snd (effect e l g))) = snd (effect e l (snd (effect d m g))).
Proof.
  intros e d l m g E D I. pose proof (independent_edges_sym e d I) as J.
  destruct (effect_leaves e d l g E I) as [L1 A1]. destruct (effect_leaves d e m g D J) as [L2 A2].
  destruct (effect_reads d D m _ _ L1 A1) as [_ W1]. destruct (effect_reads e E l _ _ L2 A2) as [_ W2].
  apply stores_equal; [rewrite !effect_keeps_size; auto|]. intros v.
  apply andb_prop in I as [apart apart'].
  destruct (in_dec Nat.eq_dec v (writes d)) as [wd|nd].
  - rewrite <- (W1 v wd), (effect_writes e E); auto.
    intros we. apply (disjoint_is _ _ apart v we). unfold touches. apply in_or_app. auto.
  - rewrite (effect_writes d D); auto. destruct (in_dec Nat.eq_dec v (writes e)) as [we|ne]; [apply W2; auto|].
    rewrite !(effect_writes e E), (effect_writes d D); auto.
Qed.

(* A step of another process leaves a step as it was. *)
Lemma step_leaves : forall s p q i j e d, p <> q -> edge_of p i = Some e -> edge_of q j = Some d -> honest e ->
  honest d -> independent_edges e d = true -> can_move s q j = true ->
  can_move (execute s (Step q j)) p i = can_move s p i.
Proof.
  intros s p q i j e d different E D He Hd I can. destruct (moving s q j can) as (d' & place & m & D' & Q & _ & _ & ->).
  rewrite D in D'. injection D' as <-. unfold can_move. rewrite E. simpl. rewrite update_other by auto.
  destruct (nth_error (processes s) p) as [[here l]|]; auto. f_equal.
  destruct (effect_leaves d e m (globals s) Hd (independent_edges_sym e d I)) as [L A].
  symmetry. apply (guard_reads e He); auto.
Qed.

Theorem steps_commute : forall s p q i j e d, p <> q -> edge_of p i = Some e -> edge_of q j = Some d -> honest e ->
  honest d -> independent_edges e d = true -> can_move s p i = true -> can_move s q j = true ->
  can_move (execute s (Step p i)) q j = true /\ can_move (execute s (Step q j)) p i = true /\
  execute (execute s (Step p i)) (Step q j) = execute (execute s (Step q j)) (Step p i).
Proof.
  intros s p q i j e d different E D He Hd I mine theirs. pose proof (independent_edges_sym e d I) as J.
  rewrite (step_leaves s q p j i d e), (step_leaves s p q i j e d) by auto. repeat split; auto.
  destruct (moving s p i mine) as (e' & here & l & E' & HP & _ & _ & ->). rewrite E in E'. injection E' as <-.
  destruct (moving s q j theirs) as (d' & there & m & D' & HQ & _ & _ & ->). rewrite D in D'. injection D' as <-.
  unfold execute. rewrite E, D. cbn [processes globals]. rewrite !update_other, HP, HQ by auto.
  destruct (effect_leaves e d l (globals s) He I) as [L1 A1].
  destruct (effect_leaves d e m (globals s) Hd J) as [L2 A2].
  destruct (effect_reads d Hd m _ _ L1 A1) as [F1 _]. destruct (effect_reads e He l _ _ L2 A2) as [F2 _].
  rewrite <- F1, <- F2. f_equal; [apply effects_commute; auto | apply update_commutes; auto].
Qed.
End Semantics.
