(* Programs: processes with control-flow graphs, variables and channels, and what a step of one does.

   The language is that of Brunner and Lammich (2018, section 3.7), called SM there, with its expressions left open
   and with channels: an edge of a control-flow graph has a guard and an effect, any functions of the local and the
   global variables and of the message received, at most one operation on a channel, and two lists, of the global
   variables that it reads and of those that it writes. An edge is honest if the lists are complete; an access missing
   there would make reduction unsound. What is honest is a matter of definition here and of proof for the language of
   reduction/commands.v.

   An action is a step of one process along one edge; where there is none, the program stutters, so every run is
   infinite. Edges are compatible in a state if neither writes what the other reads or writes and their operations are
   on different channels, or excepted on the same one (reduction/channels.v). Proved: steps of different processes
   along compatible edges commute, do not wake or block the first, and leave it compatible with whatever it was. *)
(* Proves: steps_commute, step_leaves, compatible_persists *)
(* Assumes: nothing *)
From Coq Require Import Arith Lia List Bool ZArith.
From everafter.reduction Require Import channels.
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

Lemma update_twice : forall A (l : list A) n x y, update (update l n x) n y = update l n y.
Proof. induction l; intros [|n] x y; simpl; auto. f_equal. auto. Qed.

Lemma read_update_other : forall g n m x, n <> m -> read (update g n x) m = read g m.
Proof. unfold read. induction g; intros [|n] [|m] x different; simpl; auto; try congruence. Qed.

Lemma stores_equal : forall g h : store, length g = length h -> (forall v, read g v = read h v) -> g = h.
Proof. intros g h L E. apply nth_ext with (d := 0%Z) (d' := 0%Z); auto. intros; apply E. Qed.

Definition agree (variables : list nat) (g h : store) := forall v, In v variables -> read g v = read h v.

(* Programs *)

Definition message := list Z.

(* An operation on a channel, which may depend on variables; its kind does not. *)
Record use := { channel : nat; operates : store -> store -> operation message; sort : kind }.

Record edge := {
  from : nat;
  to : nat;
  guard : store -> store -> bool;
  uses : option use;
  effect : option message -> store -> store -> store * store;
  reads : list nat;
  writes : list nat }.

Definition touches (e : edge) := reads e ++ writes e.

(* The lists of an edge are complete: nothing else is written, and what is not touched does not matter. *)
Record honest (e : edge) : Prop := {
  guard_reads : forall l g h, length g = length h -> agree (touches e) g h -> guard e l g = guard e l h;
  use_reads : forall u l g h, uses e = Some u -> length g = length h -> agree (touches e) g h ->
    alike (operates u l g) (operates u l h);
  use_sort : forall u l g, uses e = Some u -> kind_of (operates u l g) = sort u;
  effect_keeps_size : forall x l g, length (snd (effect e x l g)) = length g;
  effect_writes : forall x l g v, ~ In v (writes e) -> read (snd (effect e x l g)) v = read g v;
  effect_reads : forall x l g h, length g = length h -> agree (touches e) g h ->
    fst (effect e x l g) = fst (effect e x l h) /\ agree (writes e) (snd (effect e x l g)) (snd (effect e x l h)) }.

(* The channels after the operation of an edge, and the message received; nothing if it is blocked. *)
Definition contents := list (list message).
Definition used (e : edge) (l g : store) (c : contents) : option (contents * option message) :=
  match uses e with
  | None => Some (c, None)
  | Some u =>
      match nth_error c (channel u) with
      | None => None
      | Some q =>
          match perform (operates u l g) q with Some (r, x) => Some (update c (channel u) r, x) | None => None end
      end
  end.

Definition excepted_uses (e d : edge) (l g : store) (c : contents) : bool :=
  match uses e, uses d with
  | Some u, Some v =>
      if channel u =? channel v
      then match nth_error c (channel u) with Some q => excepted (operates u l g) (sort v) q | None => false end
      else true
  | _, _ => true
  end.

Lemma used_same : forall e l g h c, honest e -> length g = length h -> agree (touches e) g h ->
  used e l g c = used e l h c.
Proof.
  intros e l g h c H L A. unfold used. destruct (uses e) as [u|] eqn:U; auto. destruct (nth_error c (channel u)); auto.
  rewrite (perform_alike _ _ _ _ (use_reads e H u l g h U L A)). reflexivity.
Qed.

Lemma excepted_uses_same : forall e d l g h c, honest e -> length g = length h -> agree (touches e) g h ->
  excepted_uses e d l g c = excepted_uses e d l h c.
Proof.
  intros e d l g h c H L A. unfold excepted_uses. destruct (uses e) as [u|] eqn:U; auto.
  destruct (uses d) as [v|]; auto.
  destruct (channel u =? channel v); auto. destruct (nth_error c (channel u)); auto.
  apply excepted_alike. apply (use_reads e H); auto.
Qed.

Section Uses.
Variables e d : edge.
Variables l g m h : store.
Hypothesis honest_other : honest d.
Variable c : contents.
Hypothesis exception : excepted_uses e d l g c = true.

Lemma uses_commute : forall c1 x c2 y, used e l g c = Some (c1, x) -> used d m h c = Some (c2, y) ->
  exists c3, used d m h c1 = Some (c3, y) /\ used e l g c2 = Some (c3, x).
Proof.
  unfold used, excepted_uses in *. intros c1 x c2 y E D.
  destruct (uses e) as [u|]; [|injection E as <- <-; exists c2; auto].
  destruct (uses d) as [v|] eqn:V; [|injection D as <- <-; exists c1; auto].
  destruct (nth_error c (channel u)) as [q|] eqn:Q; [|discriminate].
  destruct (perform (operates u l g) q) as [[q1 x1]|] eqn:P1; [|discriminate]. injection E as <- <-.
  destruct (Nat.eqb_spec (channel u) (channel v)) as [same|different].
  - rewrite <- same in *. rewrite Q in D. destruct (perform (operates v m h) q) as [[q2 y2]|] eqn:P2; [|discriminate].
    injection D as <- <-. rewrite <- (use_sort d honest_other v m h V) in exception.
    destruct (excepted_commute _ _ _ _ _ _ _ _ exception P1 P2) as (both & T & M).
    exists (update (update c (channel u) q1) (channel u) both).
    rewrite !(update_same _ _ _ _ q) by auto. rewrite T, M. split; auto. rewrite !update_twice. reflexivity.
  - destruct (nth_error c (channel v)) as [r|] eqn:R; [|discriminate].
    destruct (perform (operates v m h) r) as [[r2 y2]|] eqn:P2; [|discriminate]. injection D as <- <-.
    rewrite !update_other, R, Q, P1, P2 by auto. eexists. split; [reflexivity|]. rewrite update_commutes; auto.
Qed.

Lemma uses_blocked : forall c2 y, used e l g c = None -> used d m h c = Some (c2, y) -> used e l g c2 = None.
Proof.
  unfold used, excepted_uses in *. intros c2 y E D. destruct (uses e) as [u|]; [|discriminate].
  destruct (uses d) as [v|] eqn:V; [|injection D as <- <-; exact E].
  destruct (nth_error c (channel v)) as [r|] eqn:R; [|discriminate].
  destruct (perform (operates v m h) r) as [[r2 y2]|] eqn:P2; [|discriminate]. injection D as <- <-.
  destruct (Nat.eqb_spec (channel u) (channel v)) as [same|different].
  - rewrite same in *. rewrite R in E, exception. rewrite (update_same _ _ _ _ r) by auto.
    destruct (perform (operates u l g) r) as [[q1 x1]|] eqn:P1; [discriminate|].
    rewrite <- (use_sort d honest_other v m h V) in exception.
    rewrite (excepted_leave_blocked _ _ _ _ _ _ exception P1 P2). reflexivity.
  - rewrite update_other by auto. destruct (nth_error c (channel u)) as [q|]; auto.
    destruct (perform (operates u l g) q) as [[q1 x1]|]; [discriminate | auto].
Qed.

Lemma uses_persist : forall next c2 y, excepted_uses e next l g c = true -> used d m h c = Some (c2, y) ->
  excepted_uses e next l g c2 = true.
Proof.
  unfold used, excepted_uses in *. intros next c2 y N D. destruct (uses e) as [u|]; auto.
  destruct (uses next) as [n|]; auto. destruct (channel u =? channel n); auto.
  destruct (uses d) as [v|] eqn:V; [|injection D as <- <-; exact N].
  destruct (nth_error c (channel v)) as [r|] eqn:R; [|discriminate].
  destruct (perform (operates v m h) r) as [[r2 y2]|] eqn:P2; [|discriminate]. injection D as <- <-.
  destruct (Nat.eqb_spec (channel u) (channel v)) as [same|different].
  - rewrite same in *. rewrite R in N, exception. rewrite (update_same _ _ _ _ r) by auto.
    rewrite <- (use_sort d honest_other v m h V) in exception. eapply excepted_persist; eauto.
  - rewrite update_other by auto. exact N.
Qed.
End Uses.

Definition text := list edge.
Definition program := list text.

(* A state: the global variables, the channels, and for each process its place of control and local variables. *)
Record state := { globals : store; channels : contents; processes : list (nat * store) }.

Inductive action := Stutter | Step (process number : nat).

Section Semantics.
Variable P : program.

Definition edge_of (p i : nat) : option edge :=
  match nth_error P p with Some t => nth_error t i | None => None end.

Lemma edge_in_text : forall p i e, edge_of p i = Some e -> exists t, nth_error P p = Some t /\ nth_error t i = Some e.
Proof. unfold edge_of. intros p i e E. destruct (nth_error P p) as [t|]; [eauto | discriminate]. Qed.

Definition can_move (s : state) (p i : nat) : bool :=
  match edge_of p i, nth_error (processes s) p with
  | Some e, Some (place, locals) =>
      (from e =? place) && guard e locals (globals s) &&
      match used e locals (globals s) (channels s) with Some _ => true | None => false end
  | _, _ => false
  end.

Definition moved (s : state) (p : nat) (e : edge) (locals : store) (c : contents) (x : option message) : state :=
  {| globals := snd (effect e x locals (globals s));
     channels := c;
     processes := update (processes s) p (to e, fst (effect e x locals (globals s))) |}.

Definition execute (s : state) (a : action) : state :=
  match a with
  | Stutter => s
  | Step p i =>
      match edge_of p i, nth_error (processes s) p with
      | Some e, Some (_, locals) =>
          match used e locals (globals s) (channels s) with
          | Some (c, x) => moved s p e locals c x
          | None => s
          end
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
Lemma moving : forall s p i, can_move s p i = true -> exists e place locals c x,
  edge_of p i = Some e /\ nth_error (processes s) p = Some (place, locals) /\ from e = place /\
  guard e locals (globals s) = true /\ used e locals (globals s) (channels s) = Some (c, x) /\
  execute s (Step p i) = moved s p e locals c x.
Proof.
  intros s p i can. unfold can_move in can. cbn [execute].
  destruct (edge_of p i) as [e|]; [|discriminate].
  destruct (nth_error (processes s) p) as [[place locals]|]; [|discriminate].
  apply andb_prop in can as [can free]. apply andb_prop in can as [at_place open]. apply Nat.eqb_eq in at_place.
  destruct (used e locals (globals s) (channels s)) as [[c x]|] eqn:U; [|discriminate].
  exists e, place, locals, c, x. rewrite U. repeat split; auto.
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
Lemma effect_leaves : forall e d x l g, honest e -> independent_edges e d = true ->
  length g = length (snd (effect e x l g)) /\ agree (touches d) g (snd (effect e x l g)).
Proof.
  intros e d x l g E I. apply andb_prop in I as [apart _]. split; [symmetry; apply (effect_keeps_size e E)|].
  intros v touched. symmetry. apply (effect_writes e E). intros written. eapply disjoint_is; eauto.
Qed.

Lemma effects_commute : forall e d x y l m g, honest e -> honest d -> independent_edges e d = true ->
  snd (effect d y m (snd (effect e x l g))) = snd (effect e x l (snd (effect d y m g))).
Proof.
  intros e d x y l m g E D I. pose proof (independent_edges_sym e d I) as J.
  destruct (effect_leaves e d x l g E I) as [L1 A1]. destruct (effect_leaves d e y m g D J) as [L2 A2].
  destruct (effect_reads d D y m _ _ L1 A1) as [_ W1]. destruct (effect_reads e E x l _ _ L2 A2) as [_ W2].
  apply stores_equal; [rewrite !effect_keeps_size; auto|]. intros v.
  apply andb_prop in I as [apart apart'].
  destruct (in_dec Nat.eq_dec v (writes d)) as [wd|nd].
  - rewrite <- (W1 v wd), (effect_writes e E); auto.
    intros we. apply (disjoint_is _ _ apart v we). unfold touches. apply in_or_app. auto.
  - rewrite (effect_writes d D); auto. destruct (in_dec Nat.eq_dec v (writes e)) as [we|ne]; [apply W2; auto|].
    rewrite !(effect_writes e E), (effect_writes d D); auto.
Qed.

(* What process p may do along e, and another along d, do not get into each other's way. *)
Definition compatible (s : state) (p : nat) (e d : edge) : bool :=
  independent_edges e d &&
  match nth_error (processes s) p with
  | Some (_, locals) => excepted_uses e d locals (globals s) (channels s)
  | None => true
  end.

(* A step of another process leaves a step as it was. *)
Theorem step_leaves : forall s p q i j e d, p <> q -> edge_of p i = Some e -> edge_of q j = Some d -> honest e ->
  honest d -> compatible s p e d = true -> can_move s q j = true ->
  can_move (execute s (Step q j)) p i = can_move s p i.
Proof.
  intros s p q i j e d different E D He Hd I can. apply andb_prop in I as [I X].
  destruct (moving s q j can) as (d' & place & m & c & y & D' & Q & _ & _ & U & ->).
  rewrite D in D'. injection D' as <-. unfold can_move. rewrite E. simpl. rewrite update_other by auto.
  destruct (nth_error (processes s) p) as [[here l]|]; auto.
  destruct (effect_leaves d e y m (globals s) Hd (independent_edges_sym e d I)) as [L A].
  rewrite <- (guard_reads e He l _ _ L A), <- (used_same e l _ _ c He L A). f_equal.
  destruct (used e l (globals s) (channels s)) as [[c1 x]|] eqn:V.
  - destruct (uses_commute e d l (globals s) m (globals s) Hd _ X _ _ _ _ V U) as (c3 & _ & ->). reflexivity.
  - rewrite (uses_blocked e d l (globals s) m (globals s) Hd _ X _ _ V U). reflexivity.
Qed.

Theorem compatible_persists : forall s p q j e d next, p <> q -> edge_of q j = Some d -> honest e -> honest d ->
  compatible s p e d = true -> compatible s p e next = true -> can_move s q j = true ->
  compatible (execute s (Step q j)) p e next = true.
Proof.
  intros s p q j e d next different D He Hd I N can. apply andb_prop in I as [I X]. apply andb_prop in N as [N Y].
  destruct (moving s q j can) as (d' & place & m & c & y & D' & Q & _ & _ & U & ->).
  rewrite D in D'. injection D' as <-. unfold compatible. rewrite N. simpl. rewrite update_other by auto.
  destruct (nth_error (processes s) p) as [[here l]|]; auto.
  destruct (effect_leaves d e y m (globals s) Hd (independent_edges_sym e d I)) as [L A].
  rewrite <- (excepted_uses_same e next l _ _ c He L A).
  apply (uses_persist e d l (globals s) m (globals s) Hd _ X next _ y); auto.
Qed.

Theorem steps_commute : forall s p q i j e d, p <> q -> edge_of p i = Some e -> edge_of q j = Some d -> honest e ->
  honest d -> compatible s p e d = true -> can_move s p i = true -> can_move s q j = true ->
  can_move (execute s (Step p i)) q j = true /\ can_move (execute s (Step q j)) p i = true /\
  execute (execute s (Step p i)) (Step q j) = execute (execute s (Step q j)) (Step p i).
Proof.
  intros s p q i j e d different E D He Hd I mine theirs. pose proof I as I'. apply andb_prop in I' as [J X].
  pose proof (independent_edges_sym e d J) as K.
  assert (still : can_move (execute s (Step q j)) p i = true) by (rewrite (step_leaves s p q i j e d); auto).
  destruct (moving s p i mine) as (e' & here & l & c1 & x & E' & HP & _ & _ & U1 & ->).
  rewrite E in E'. injection E' as <-.
  destruct (moving s q j theirs) as (d' & there & m & c2 & y & D' & HQ & at_place & open & U2 & W). rewrite W.
  rewrite D in D'. injection D' as <-. rewrite HP in X. rewrite W in still.
  destruct (effect_leaves e d x l (globals s) He J) as [L1 A1].
  destruct (effect_leaves d e y m (globals s) Hd K) as [L2 A2].
  destruct (uses_commute e d l (globals s) m (globals s) Hd _ X _ _ _ _ U1 U2) as (c3 & V2 & V1).
  split; [|split; [exact still|]].
  - unfold can_move. rewrite D. cbn [moved processes globals channels]. rewrite update_other, HQ by auto.
    rewrite <- (guard_reads d Hd m _ _ L1 A1), open, <- (used_same d m _ _ c1 Hd L1 A1), V2, at_place, Nat.eqb_refl.
    reflexivity.
  - unfold execute. rewrite E, D. cbn [moved processes globals channels]. rewrite !update_other, HP, HQ by auto.
    rewrite <- (used_same d m _ _ c1 Hd L1 A1), V2, <- (used_same e l _ _ c2 He L2 A2), V1.
    destruct (effect_reads d Hd y m _ _ L1 A1) as [F1 _]. destruct (effect_reads e He x l _ _ L2 A2) as [F2 _].
    unfold moved. cbn [processes globals channels]. rewrite <- F1, <- F2.
    f_equal; [apply effects_commute; auto | apply update_commutes; auto].
Qed.
End Semantics.
