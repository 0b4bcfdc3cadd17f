(* Rows with nothing wrong in them and nothing new behind them: `certify` accepts only those, and then nothing can go
   wrong in any run.

   The rows are states, and need no trust. Where a row is listed is found by a key that nobody has to believe: equality is
   decided on the states themselves. *)
(* Proves: certified_rows_are_safe *)
(* Assumes: nothing *)
From Coq Require Import ZArith List Bool FMapPositive.
From everafter.semantics Require Import values program states expressions statements system.
Import ListNotations.

(* Equality, as far as needed: what is said to be the same is. *)
Fixpoint same_list {A} (same : A -> A -> bool) (l m : list A) : bool :=
  match l, m with [], [] => true | a :: r, b :: t => if same a b then same_list same r t else false | _, _ => false end.
Definition same_process (q r : process) : bool :=
  if Pos.eqb (place q) (place r) then
    if Nat.eqb (kind q) (kind r) then
      if Z.eqb (priority q) (priority r) then same_list Z.eqb (locals q) (locals r) else false
    else false
  else false.
Definition same_channel (c b : channel) : bool :=
  if Nat.eqb (declared c) (declared b) then same_list (same_list Z.eqb) (messages c) (messages b) else false.
Definition same_holder (x y : option nat) : bool :=
  match x, y with None, None => true | Some i, Some j => Nat.eqb i j | _, _ => false end.
Definition same_state (s t : state) : bool :=
  if same_list Z.eqb (globals s) (globals t) then
    if same_list same_process (processes s) (processes t) then
      if same_list same_channel (channels s) (channels t) then
        if same_holder (exclusive s) (exclusive t) then
          if Nat.eqb (last s) (last t) then Pos.eqb (moment_now s) (moment_now t) else false
        else false
      else false
    else false
  else false.

Definition sure {A} (same : A -> A -> bool) := forall a b, same a b = true -> a = b.
Lemma same_list_sure : forall A (same : A -> A -> bool), sure same -> sure (same_list same).
Proof.
  intros A same S l. induction l as [|a l IH]; intros [|b m] H; simpl in H; try discriminate; auto.
  destruct (same a b) eqn:E; [|discriminate]. rewrite (S a b E), (IH m H). reflexivity.
Qed.
Lemma same_Z_sure : sure Z.eqb.
Proof. intros a b. apply Z.eqb_eq. Qed.
Lemma same_process_sure : sure same_process.
Proof.
  intros [k n l r] [k' n' l' r'] H. unfold same_process in H. simpl in H.
  destruct (Pos.eqb n n') eqn:N; [|discriminate]. destruct (Nat.eqb k k') eqn:K; [|discriminate].
  destruct (Z.eqb r r') eqn:R; [|discriminate].
  apply Pos.eqb_eq in N. apply Nat.eqb_eq in K. apply Z.eqb_eq in R.
  apply (same_list_sure _ _ same_Z_sure) in H. congruence.
Qed.
Lemma same_channel_sure : sure same_channel.
Proof.
  intros [k l] [k' l'] H. unfold same_channel in H. simpl in H. destruct (Nat.eqb k k') eqn:K; [|discriminate].
  apply Nat.eqb_eq in K. apply (same_list_sure _ _ (same_list_sure _ _ same_Z_sure)) in H. congruence.
Qed.
Lemma same_holder_sure : sure same_holder.
Proof. intros [i|] [j|] H; simpl in H; try discriminate; auto. apply Nat.eqb_eq in H. congruence. Qed.
Lemma same_state_sure : sure same_state.
Proof.
  intros [g l c x b m] [g' l' c' x' b' m'] H. unfold same_state in H. simpl in H.
  destruct (same_list Z.eqb g g') eqn:G; [|discriminate].
  destruct (same_list same_process l l') eqn:L; [|discriminate].
  destruct (same_list same_channel c c') eqn:C; [|discriminate].
  destruct (same_holder x x') eqn:X; [|discriminate].
  destruct (Nat.eqb b b') eqn:B; [|discriminate].
  apply (same_list_sure _ _ same_Z_sure) in G. apply (same_list_sure _ _ same_process_sure) in L.
  apply (same_list_sure _ _ same_channel_sure) in C. apply same_holder_sure in X. apply Nat.eqb_eq in B.
  apply Pos.eqb_eq in H. congruence.
Qed.

(* The states that runs come to, also behind what must not happen. *)
Inductive reachable (p : program) : state -> Prop :=
| at_first : forall s, initial p = Some s -> reachable p s
| and_then : forall s t, reachable p s -> step p s (Goes t) -> reachable p t
| past_a_flaw : forall s f t, reachable p s -> step p s (Fails f t) -> reachable p t.

Section Table.
Variable hash : state -> positive.
Definition table := PositiveMap.t (list state).
Definition bucket (t : table) (k : positive) : list state :=
  match PositiveMap.find k t with Some l => l | None => [] end.
Definition add (t : table) (s : state) : table :=
  let k := hash s in PositiveMap.add k (s :: bucket t k) t.
Definition tabulate (rows : list state) : table := fold_left add rows (PositiveMap.empty _).
Definition listed (t : table) (s : state) : bool := existsb (same_state s) (bucket t (hash s)).

Definition within (t : table) (o : outcome) : bool := match o with Goes s => listed t s | _ => false end.
Definition row_is_fine (p : program) (t : table) (s : state) : bool :=
  match steps p s with [] => is_valid_end p s | l => forallb (within t) l end.
Definition certify (p : program) (rows : list state) : bool :=
  let t := tabulate rows in
  match initial p with Some s => listed t s && forallb (row_is_fine p t) rows | None => false end.

Lemma bucket_add : forall t s k x, In x (bucket (add t s) k) -> x = s \/ In x (bucket t k).
Proof.
  intros t s k x. unfold bucket, add. destruct (Pos.eq_dec k (hash s)) as [->|other].
  - rewrite PositiveMap.gss. simpl. intros [<-|H]; auto.
  - rewrite PositiveMap.gso by auto. auto.
Qed.
Lemma tabulate_adds : forall rows t k x, In x (bucket (fold_left add rows t) k) -> In x rows \/ In x (bucket t k).
Proof.
  induction rows as [|s rows IH]; intros t k x H; simpl in *; auto.
  destruct (IH _ _ _ H) as [H'|H']; auto. destruct (bucket_add _ _ _ _ H') as [->|]; auto.
Qed.
Lemma listed_is : forall rows s, listed (tabulate rows) s = true -> In s rows.
Proof.
  intros rows s H. unfold listed in H. apply existsb_exists in H. destruct H as (x & member & same).
  apply same_state_sure in same. subst x. destruct (tabulate_adds _ _ _ _ member) as [|none]; auto.
  unfold bucket in none. rewrite PositiveMap.gempty in none. destruct none.
Qed.

(* If the rows are accepted, then the program has an initial state, every state that a run comes to is a row, and in none
   of them something goes wrong: no assertion fails, no trace is violated, no run-time error happens, and no run stops
   where it must not. *)
Theorem certified_rows_are_safe : forall p rows, certify p rows = true ->
  initial p <> None /\ forall s, reachable p s -> In s rows /\ ~ goes_wrong_in p s.
Proof.
  intros p rows H. unfold certify in H. destruct (initial p) as [first|] eqn:begins_; [|discriminate].
  apply andb_true_iff in H. destruct H as (has_first & all). rewrite forallb_forall in all.
  assert (follow : forall s o, In s rows -> step p s o -> exists t, o = Goes t /\ In t rows).
  { intros s o member S. specialize (all s member). unfold row_is_fine in all. apply steps_is_step in S.
    destruct (steps p s) as [|x l] eqn:L; [destruct S|]. rewrite forallb_forall in all. specialize (all o S).
    destruct o as [t|f t|]; simpl in all; try discriminate. exists t. split; auto. apply listed_is, all. }
  split; [discriminate|].
  assert (inside : forall s, reachable p s -> In s rows).
  { intros s R. induction R as [s E|s t R IH S|s f t R IH S].
    - rewrite begins_ in E. injection E as <-. apply listed_is, has_first.
    - destruct (follow s _ IH S) as (x & E & member). congruence.
    - destruct (follow s _ IH S) as (x & E & member). discriminate. }
  intros s R. pose proof (inside s R) as member. split; auto. intros W. destruct W as [f t S|S|N bad].
  - destruct (follow s _ member S) as (x & E & _). discriminate.
  - destruct (follow s _ member S) as (x & E & _). discriminate.
  - specialize (all s member). unfold row_is_fine in all. destruct (steps p s) as [|x l] eqn:L; [congruence|].
    apply (N x). apply steps_is_step. rewrite L. left. reflexivity.
Qed.
End Table.
