(* Commands: guarded assignments and channel operations, whose footprints are read off their text and are complete.

   An edge carries a condition, at most one operation on a channel, and a list of assignments, all performed in one
   step (a test has no assignments; skip has a condition that is always true). Expressions read local and global
   variables, cells of global arrays and the fields of the message just received; the operators are any functions of
   integers. A cell whose index is computed counts as the whole array, in what is read and in what is written. To
   receive asks for a message with given values in some of its fields. The theorem: every command is an honest edge in
   the sense of reduction/programs.v, so the lists that dependence and visibility are decided from leave nothing out. *)
(* Proves: commands_are_honest, invisible_commands_are_unseen *)
(* Assumes: nothing *)
From Coq Require Import Arith Lia List Bool ZArith.
From everafter.reduction Require Import channels programs.
Import ListNotations.

Inductive expression :=
| Literal (value : Z)
| Local (v : nat)
| Global (v : nat)
| Cell (first more : nat) (index : expression)
| Received (field : nat)
| Unary (operator : Z -> Z) (e : expression)
| Binary (operator : Z -> Z -> Z) (e d : expression).

(* An array has 1 + more cells; an index is taken modulo that. *)
Definition cell (first more : nat) (index : Z) : nat := first + Z.to_nat index mod S more.
Definition cells (first more : nat) : list nat := seq first (S more).

(* x is the message just received, if any. *)
Fixpoint value (e : expression) (x : message) (l g : store) : Z :=
  match e with
  | Literal z => z
  | Local v => read l v
  | Global v => read g v
  | Cell first more index => read g (cell first more (value index x l g))
  | Received field => read x field
  | Unary operator e => operator (value e x l g)
  | Binary operator e d => operator (value e x l g) (value d x l g)
  end.

Fixpoint globals_of (e : expression) : list nat :=
  match e with
  | Literal _ | Local _ | Received _ => []
  | Global v => [v]
  | Cell first more index => cells first more ++ globals_of index
  | Unary _ e => globals_of e
  | Binary _ e d => globals_of e ++ globals_of d
  end.

Inductive assignment :=
| SetLocal (v : nat) (e : expression)
| SetGlobal (v : nat) (e : expression)
| SetCell (first more : nat) (index e : expression).

Definition memory := (store * store)%type.

Definition assign (x : message) (m : memory) (a : assignment) : memory :=
  let (l, g) := m in
  match a with
  | SetLocal v e => (update l v (value e x l g), g)
  | SetGlobal v e => (l, update g v (value e x l g))
  | SetCell first more index e => (l, update g (cell first more (value index x l g)) (value e x l g))
  end.

Definition read_by (a : assignment) : list nat :=
  match a with
  | SetLocal _ e | SetGlobal _ e => globals_of e
  | SetCell _ _ index e => globals_of index ++ globals_of e
  end.

Definition written_by (a : assignment) : list nat :=
  match a with SetLocal _ _ => [] | SetGlobal v _ => [v] | SetCell first more _ _ => cells first more end.

(* What a command does with a channel. A pattern has a value for each field, or takes any. *)
Inductive channel_use :=
| Quiet
| Puts (channel capacity : nat) (loses : bool) (fields : list expression)
| Gets (channel : nat) (anywhere removes : bool) (pattern : list (option expression)).

Fixpoint fits (l g : store) (pattern : list (option expression)) (m : message) : bool :=
  match pattern, m with
  | [], [] => true
  | None :: others, _ :: fields => fits l g others fields
  | Some e :: others, z :: fields => Z.eqb (value e [] l g) z && fits l g others fields
  | _, _ => false
  end.

Definition use_of (u : channel_use) : option use :=
  match u with
  | Quiet => None
  | Puts c capacity loses fields => Some {| channel := c; sort := Sends loses;
      operates := fun l g => Send capacity loses (map (fun e => value e [] l g) fields) |}
  | Gets c anywhere removes pattern => Some {| channel := c; sort := Receives removes;
      operates := fun l g => Receive anywhere removes (fits l g pattern) |}
  end.

Definition read_by_use (u : channel_use) : list nat :=
  match u with
  | Quiet => []
  | Puts _ _ _ fields => flat_map globals_of fields
  | Gets _ _ _ pattern => flat_map (fun e => match e with Some e => globals_of e | None => [] end) pattern
  end.

Record command := {
  source : nat;
  target : nat;
  condition : expression;
  over : channel_use;
  body : list assignment }.

Definition received (x : option message) : message := match x with Some m => m | None => [] end.

Definition edge_of_command (c : command) : edge := {|
  from := source c;
  to := target c;
  guard := fun l g => negb (Z.eqb (value (condition c) [] l g) 0);
  uses := use_of (over c);
  effect := fun x l g => fold_left (assign (received x)) (body c) (l, g);
  reads := (globals_of (condition c) ++ read_by_use (over c)) ++ flat_map read_by (body c);
  writes := flat_map written_by (body c) |}.

Lemma cell_in_cells : forall first more index, In (cell first more index) (cells first more).
Proof.
  intros first more index. unfold cell, cells. apply in_seq.
  pose proof (Nat.mod_upper_bound (Z.to_nat index) (S more) (Nat.neq_succ_0 more)). lia.
Qed.

Lemma value_reads : forall e x l g h, agree (globals_of e) g h -> value e x l g = value e x l h.
Proof.
  induction e; cbn [value globals_of]; intros x l g h A; auto.
  - apply A. simpl. auto.
  - rewrite (IHe x l g h) by (intros v V; apply A; apply in_or_app; auto).
    apply A, in_or_app. left. apply cell_in_cells.
  - f_equal. auto.
  - rewrite (IHe1 x l g h), (IHe2 x l g h); auto; intros v V; apply A, in_or_app; auto.
Qed.

Lemma fits_reads : forall pattern l g h m,
  agree (flat_map (fun e => match e with Some e => globals_of e | None => [] end) pattern) g h ->
  fits l g pattern m = fits l h pattern m.
Proof.
  induction pattern as [|[e|] others IH]; intros l g h [|z fields] A; cbn [fits flat_map] in *; auto.
  rewrite (value_reads e [] l g h) by (intros v V; apply A, in_or_app; auto).
  rewrite (IH l g h) by (intros v V; apply A, in_or_app; auto). reflexivity.
Qed.

Lemma read_after_update : forall (g h : store) n x v, length g = length h -> (n <> v -> read g v = read h v) ->
  read (update g n x) v = read (update h n x) v.
Proof.
  intros g h n x v L E. destruct (Nat.eq_dec n v) as [->|different]; [|rewrite !read_update_other; auto].
  clear E. unfold read. revert h v L. induction g; intros [|b h] [|v] L; simpl in *; try discriminate; auto.
Qed.

Lemma assign_size : forall x a (l g : store), length (snd (assign x (l, g) a)) = length g.
Proof. destruct a; intros; simpl; auto using update_length. Qed.

Lemma assign_writes : forall x a (l g : store) v, ~ In v (written_by a) -> read (snd (assign x (l, g) a)) v = read g v.
Proof.
  intros x a l g v no. destruct a; cbn [assign written_by snd] in *; auto.
  - apply read_update_other. simpl in no. tauto.
  - apply read_update_other. intros E. apply no. subst. apply cell_in_cells.
Qed.

Lemma assign_reads : forall x a all (l g h : store), incl (read_by a) all -> length g = length h -> agree all g h ->
  fst (assign x (l, g) a) = fst (assign x (l, h) a) /\ agree all (snd (assign x (l, g) a)) (snd (assign x (l, h) a)).
Proof.
  intros x a all l g h sub L A.
  destruct a as [v e|v e|first more index e]; simpl in sub |- *.
  - rewrite (value_reads e x l g h) by (intros z Z'; auto). auto.
  - rewrite (value_reads e x l g h) by (intros z Z'; auto). split; auto. intros z Z'. apply read_after_update; auto.
  - rewrite (value_reads index x l g h) by (intros z Z'; apply A, sub, in_or_app; auto).
    rewrite (value_reads e x l g h) by (intros z Z'; apply A, sub, in_or_app; auto).
    split; auto. intros z Z'. apply read_after_update; auto.
Qed.

Lemma body_size : forall x assignments (l g : store), length (snd (fold_left (assign x) assignments (l, g))) = length g.
Proof.
  intros x. induction assignments as [|a others IH]; intros l g; [reflexivity|]. cbn [fold_left].
  pose proof (assign_size x a l g) as E. destruct (assign x (l, g) a) as [l' g']. rewrite IH. exact E.
Qed.

Lemma body_writes : forall x assignments (l g : store) v, ~ In v (flat_map written_by assignments) ->
  read (snd (fold_left (assign x) assignments (l, g))) v = read g v.
Proof.
  intros x. induction assignments as [|a others IH]; intros l g v no; [reflexivity|].
  cbn [fold_left]. cbn [flat_map] in no. rewrite in_app_iff in no.
  pose proof (assign_writes x a l g v) as E. destruct (assign x (l, g) a) as [l' g'].
  rewrite IH by tauto. apply E. tauto.
Qed.

Lemma body_reads : forall x assignments all (l g h : store),
  incl (flat_map read_by assignments) all -> length g = length h -> agree all g h ->
  fst (fold_left (assign x) assignments (l, g)) = fst (fold_left (assign x) assignments (l, h)) /\
  agree all (snd (fold_left (assign x) assignments (l, g))) (snd (fold_left (assign x) assignments (l, h))).
Proof.
  intros x. induction assignments as [|a others IH]; intros all l g h sub L A; [simpl; auto|].
  cbn [fold_left]. cbn [flat_map] in sub.
  destruct (assign_reads x a all l g h (fun z Z' => sub z (in_or_app _ _ z (or_introl Z'))) L A) as [F S].
  pose proof (assign_size x a l g) as L1. pose proof (assign_size x a l h) as L2.
  destruct (assign x (l, g) a) as [l1 g1]. destruct (assign x (l, h) a) as [l2 g2].
  cbn [fst snd] in F, S, L1, L2. subst l2.
  apply IH; [intros z Z'; apply sub, in_or_app; auto | congruence | exact S].
Qed.

Theorem commands_are_honest : forall c, honest (edge_of_command c).
Proof.
  intros c. split; unfold touches; simpl.
  - intros l g h _ A. f_equal. f_equal. apply value_reads. intros v V. apply A. rewrite !in_app_iff. auto.
  - intros u l g h U _ A. destruct (over c) as [|n capacity loses fields|n anywhere removes pattern] eqn:O;
      simpl in U; [discriminate| |]; injection U as <-; simpl.
    + repeat split. apply map_ext_in. intros e E. apply value_reads. intros v V. apply A. rewrite !in_app_iff.
      left. left. right. apply in_flat_map. eauto.
    + repeat split. intros m. apply fits_reads. intros v V. apply A. rewrite !in_app_iff. auto.
  - intros u l g U. destruct (over c); simpl in U; [discriminate| |]; injection U as <-; reflexivity.
  - intros. apply body_size.
  - intros. apply body_writes. auto.
  - intros x l g h L A.
    destruct (body_reads (received x) (body c)
      (((globals_of (condition c) ++ read_by_use (over c)) ++ flat_map read_by (body c)) ++
       flat_map written_by (body c))
      l g h) as [F S]; auto.
    + intros v V. rewrite !in_app_iff. auto.
    + split; auto. intros v V. apply S. rewrite !in_app_iff. auto.
Qed.

(* What a claim can see: the value of an expression of global variables, whether a process is at a place, and anything
   about what a channel holds. *)
Inductive proposition :=
| Says (e : expression)
| IsAt (process place : nat)
| Holds (channel : nat) (test : list message -> bool).

Definition sees (s : state) (p : proposition) : bool :=
  match p with
  | Says e => negb (Z.eqb (value e [] [] (globals s)) 0)
  | IsAt p place => match nth_error (processes s) p with Some (here, _) => here =? place | None => false end
  | Holds c test => match nth_error (channels s) c with Some q => test q | None => false end
  end.

Definition changes (p : nat) (e : edge) (what : proposition) : bool :=
  match what with
  | Says x => negb (disjoint (writes e) (globals_of x))
  | IsAt q place => (p =? q) && ((from e =? place) || (to e =? place))
  | Holds c _ =>
      match uses e with
      | Some u => (channel u =? c) && match sort u with Receives false => false | _ => true end
      | None => false
      end
  end.

Definition visible (P : program) (claim : list proposition) (p i : nat) : bool :=
  match edge_of P p i with Some e => existsb (changes p e) claim | None => false end.

Definition label (claim : list proposition) (s : state) : list bool := map (sees s) claim.

(* To copy a message leaves the channel as it is. *)
Lemma copy_leaves : forall (o : operation message) q r x,
  kind_of o = Receives false -> perform o q = Some (r, x) -> r = q.
Proof.
  intros [capacity loses m|anywhere removes wanted] q r x K E; simpl in K; [discriminate|]. injection K as ->.
  simpl in E. destruct (found message anywhere wanted q) as [[[before y] behind]|]; [|discriminate].
  injection E as <- _. reflexivity.
Qed.

Lemma use_leaves : forall e l g c d x n, honest e -> used e l g c = Some (d, x) ->
  (forall u, uses e = Some u -> channel u = n -> sort u = Receives false) -> nth_error d n = nth_error c n.
Proof.
  intros e l g c d x n H U unseen. unfold used in U. destruct (uses e) as [u|] eqn:E; [|injection U as <- _; auto].
  destruct (nth_error c (channel u)) as [q|] eqn:Q; [|discriminate].
  destruct (perform (operates u l g) q) as [[r y]|] eqn:R; [|discriminate]. injection U as <- _.
  destruct (Nat.eq_dec (channel u) n) as [<-|different]; [|apply update_other; auto].
  rewrite (update_same _ _ _ _ q), Q by auto. f_equal. apply (copy_leaves (operates u l g) q r y); auto.
  rewrite (use_sort e H u l g E). auto.
Qed.

Theorem invisible_commands_are_unseen : forall (P : program) claim s p i, (forall t e, In t P -> In e t -> honest e) ->
  visible P claim p i = false -> can_move P s p i = true -> label claim (execute P s (Step p i)) = label claim s.
Proof.
  intros P claim s p i H unseen can. unfold label. apply map_ext_in. intros what inside.
  destruct (moving P s p i can) as (e & place & l & c & x & E & Q & at_place & _ & U & ->).
  assert (He : honest e).
  { apply (edge_in_text P) in E as (t & T & I). eapply H; eapply nth_error_In; eauto. }
  unfold visible in unseen. rewrite E in unseen.
  assert (no : changes p e what = false).
  { destruct (changes p e what) eqn:C; auto. rewrite <- unseen. symmetry. apply existsb_exists. eauto. }
  destruct what as [y|q there|n test]; simpl in *.
  - apply negb_false_iff in no. f_equal. f_equal. apply value_reads. intros v V. apply (effect_writes e He).
    intros written. eapply disjoint_is; eauto.
  - destruct (Nat.eqb_spec p q) as [->|different]; [|rewrite update_other; auto].
    rewrite (update_same _ _ _ _ (place, l)), Q by auto. simpl in no. apply orb_false_iff in no as [away away'].
    rewrite away'. rewrite at_place in away. auto.
  - rewrite (use_leaves e l (globals s) (channels s) c x n); auto. intros u V here. rewrite V, here, Nat.eqb_refl in no.
    simpl in no. destruct (sort u) as [loses|[|]]; auto; discriminate.
Qed.
