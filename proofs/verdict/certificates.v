(* Certificates: what convinces us of a verdict without trusting the search.

   The states are those of a product of program and claim; the claim is violated exactly if there is an accepting run,
   one that begins in an initial state and meets accepting states for ever. Two kinds of certificate:

   - of "holds", a list of states with ranks. The checker is that of certificates/deciding.v, the text that runs: every
     initial state must be listed, and every edge of a listed state must lead to a listed one whose rank is no higher,
     and lower if the edge leaves an accepting state. Nothing else is asked: not that the ranks come from a search, nor
     that the states are reachable.
   - of "violated", a lasso of states. The checker asks that it begins in an initial state, that every step is one of
     the graph, the last leading back to the start of the cycle, and that the cycle has an accepting state.

   Both checkers are right: what they accept is true. And they are complete on finite graphs: if the verdict is true
   there is a certificate that they accept. *)
(* Proves: accepted_ranks_exclude_accepting_runs, accepted_lasso_is_an_accepting_run, ranks_exist, lasso_exists *)
(* Assumes: classic, constructive_indefinite_description (only ranks_exist, lasso_exists: through search/ranking.v) *)
From Coq Require Import Arith Lia List Bool ZArith Classical.
From everafter.ltl Require Import words lassos.
From everafter.search Require Import ranking.
From everafter.certificates Require Import deciding.
Import ListNotations.
Open Scope nat_scope.

Section Certificates.
Variable state : Type.
Variable same : forall a b : state, {a = b} + {a <> b}.
Variable initial : list state.
Variable successors : state -> list state.
Variable accepting : state -> bool.

Definition edge (a b : state) := In b (successors a).
Definition run (r : word state) := In (r 0) initial /\ forall i, edge (r i) (r (S i)).
Definition accepting_run (r : word state) := run r /\ forall i, exists j, i <= j /\ accepting (r j) = true.

(* Rank certificates: the checker of certificates/deciding.v on a certificate that is a list of states and ranks *)

Definition ranks := list (state * Z).
Definition size_of (certificate : ranks) : Z := Z.of_nat (length certificate).

Definition rank_at (certificate : ranks) : array := fun place =>
  match nth_error certificate (Z.to_nat place) with Some (_, rank) => rank | None => 0%Z end.

(* The number under which a state is listed, -1 if it is not. *)
Fixpoint number_of (certificate : ranks) (a : state) : Z :=
  match certificate with
  | [] => -1
  | (b, _) :: others =>
      if same b a then 0 else let number := number_of others a in if (number <? 0)%Z then -1 else number + 1
  end%Z.

Definition numbers_of (certificate : ranks) (states : list state) : array := fun place =>
  match nth_error states (Z.to_nat place) with Some a => number_of certificate a | None => (-1)%Z end.

Definition forbidden_of (a : state) : array := fun _ => if accepting a then 1%Z else 0%Z.

(* Every state that is listed is decided, in order. *)
Fixpoint decisions (certificate : ranks) (place : Z) (rows : ranks) : list event :=
  match rows with
  | [] => []
  | (a, _) :: later =>
      Decides place (Z.of_nat (length (successors a))) (numbers_of certificate (successors a)) (forbidden_of a) 1
        :: decisions certificate (place + 1) later
  end.

Definition marks_behind (certificate : ranks) : array :=
  fold_left (after (rank_at certificate) (size_of certificate)) (decisions certificate 0 certificate) (fun _ => 0%Z).

Definition accept_ranks (certificate : ranks) : bool :=
  accept_start (Z.of_nat (length initial)) (numbers_of certificate initial) (fun _ => 0%Z) (size_of certificate) &&
  all_decided (size_of certificate) (fun place => place) (marks_behind certificate) 1.

(* The graph as certificates/deciding.v has it: nothing tells its edges apart. *)
Definition plain (a : state) : list (unit * state) := map (pair tt) (successors a).
Definition is_row (certificate : ranks) (place : Z) (a : state) :=
  (0 <= place)%Z /\ exists rank, nth_error certificate (Z.to_nat place) = Some (a, rank).

Lemma found_is_row : forall certificate a, (0 <= number_of certificate a)%Z ->
  is_row certificate (number_of certificate a) a.
Proof.
  intros certificate a found. split; auto. revert found.
  induction certificate as [|[b rank] others IH]; simpl; intros found; [lia|].
  destruct (same b a) as [->|]; [exists rank; reflexivity|].
  destruct (Z.ltb_spec (number_of others a) 0) as [absent|listed]; [lia|].
  replace (Z.to_nat (number_of others a + 1)) with (S (Z.to_nat (number_of others a))) by lia. simpl. auto.
Qed.

Lemma listed_is_found : forall certificate a, In a (map fst certificate) ->
  (0 <= number_of certificate a < size_of certificate)%Z.
Proof.
  unfold size_of. induction certificate as [|[b rank] others IH]; simpl; intros a inside; [tauto|].
  destruct (same b a) as [|different]; [lia|]. destruct inside as [|inside]; [contradiction|].
  specialize (IH a inside). destruct (Z.ltb_spec (number_of others a) 0); lia.
Qed.

Lemma numbers_are : forall certificate states k a, nth_error states k = Some a ->
  numbers_of certificate states (Z.of_nat k) = number_of certificate a.
Proof. intros certificate states k a at_k. unfold numbers_of. rewrite Nat2Z.id, at_k. reflexivity. Qed.

Lemma decisions_are : forall certificate happens rows place, In happens (decisions certificate place rows) ->
  exists k a rank, nth_error rows k = Some (a, rank) /\
    happens = Decides (place + Z.of_nat k) (Z.of_nat (length (successors a)))
      (numbers_of certificate (successors a)) (forbidden_of a) 1.
Proof.
  intros certificate happens. induction rows as [|[a rank] later IH]; simpl; intros place inside; [tauto|].
  destruct inside as [<-|inside].
  - exists 0, a, rank. split; auto. f_equal. lia.
  - destruct (IH _ inside) as (k & b & r & at_k & ->). exists (S k), b, r. split; auto. f_equal. lia.
Qed.

Lemma accepted_ranks_are_accepted : forall certificate, accept_ranks certificate = true ->
  accepted (rank_at certificate) (size_of certificate) 1 state unit initial plain
    (fun _ a _ _ => accepting a = true) (fun _ => False) (is_row certificate).
Proof.
  intros certificate answer. apply andb_prop in answer as [start all]. split.
  - exists (Z.of_nat (length initial)), (numbers_of certificate initial), (fun _ => 0%Z). split; auto. split; auto.
    intros k a at_k. split; [|tauto]. rewrite (numbers_are _ _ _ _ at_k). intros [low _]. apply found_is_row. auto.
  - exists (decisions certificate 0 certificate), (fun _ => 0%Z). split; [|split; [lia|]].
    + intros happens inside. destruct (decisions_are _ _ _ _ inside) as (n & a & rank & at_n & ->).
      intros b [_ (other & at_b)]. replace (Z.to_nat (0 + Z.of_nat n)) with n in at_b by lia.
      rewrite at_n in at_b. injection at_b as <- _. unfold plain. rewrite map_length. split; auto.
      intros k t c at_k. rewrite nth_error_map in at_k.
      destruct (nth_error (successors a) k) as [d|] eqn:at_d; [|discriminate]. injection at_k as <- <-. split.
      * rewrite (numbers_are _ _ _ _ at_d). intros [low _]. apply found_is_row. auto.
      * intros accepts. unfold forbidden_of. rewrite accepts. discriminate.
    + intros place a [low (rank & at_place)]. exists (size_of certificate), (fun k => k), place.
      assert (Z.to_nat place < length certificate)%nat by (apply nth_error_Some; congruence).
      unfold size_of. repeat split; auto. lia.
Qed.

Theorem accepted_ranks_exclude_accepting_runs : forall certificate, accept_ranks certificate = true ->
  forall r, ~ accepting_run r.
Proof.
  intros certificate answer r [[begins steps] often].
  apply (decided_excludes_accepting_runs _ _ _ _ _ _ _ _ _ (accepted_ranks_are_accepted certificate answer) r); auto.
  split; auto. intros i. exists tt. split; auto. apply in_map, steps.
Qed.

(* And the other way round: if every edge is explained, the checker says yes. *)
Lemma decided_stays : forall certificate place rows from marks, marks place = 1%Z ->
  fold_left (after (rank_at certificate) (size_of certificate)) (decisions certificate from rows) marks place = 1%Z.
Proof.
  intros certificate place. induction rows as [|[a rank] later IH]; simpl; intros from marks decided; auto.
  apply IH. unfold decide_state. destruct (accept_edges _ _ _ _ _ _); simpl; auto.
  unfold updated. destruct (place =? from)%Z; auto.
Qed.

Lemma explained_is_decided : forall certificate rows from marks,
  (forall k a rank, nth_error rows k = Some (a, rank) ->
    edges_explained (from + Z.of_nat k) (Z.of_nat (length (successors a))) (numbers_of certificate (successors a))
      (forbidden_of a) (rank_at certificate) (size_of certificate)) ->
  forall k, k < length rows ->
    fold_left (after (rank_at certificate) (size_of certificate)) (decisions certificate from rows) marks
      (from + Z.of_nat k)%Z = 1%Z.
Proof.
  intros certificate. induction rows as [|[a rank] later IH]; simpl; intros from marks explained k less; [lia|].
  destruct k as [|k].
  - apply decided_stays. specialize (explained 0 a rank eq_refl). rewrite Z.add_0_r in *.
    apply accept_edges_contract in explained. unfold decide_state. rewrite explained. simpl.
    unfold updated. rewrite Z.eqb_refl. reflexivity.
  - replace (from + Z.of_nat (S k))%Z with (from + 1 + Z.of_nat k)%Z by lia. apply IH; [|lia].
    intros n b r at_n. replace (from + 1 + Z.of_nat n)%Z with (from + Z.of_nat (S n))%Z by lia.
    apply (explained (S n) b r at_n).
Qed.

(* Numbers along a run that never grow, and fall for ever: there are none. *)
Lemma no_endless_fall : forall (rank : nat -> nat) (falls : nat -> Prop),
  (forall i, rank (S i) <= rank i /\ (falls i -> rank (S i) < rank i)) ->
  (forall i, exists j, i <= j /\ falls j) -> False.
Proof.
  intros rank falls steps often.
  assert (shrinks : forall d i, rank (d + i) <= rank i).
  { induction d; intros i; simpl; auto. destruct (steps (d + i)). specialize (IHd i). lia. }
  assert (below : forall n i, rank i < n -> False).
  { induction n; intros i less; [lia|]. destruct (often i) as (j & le & fall).
    apply (IHn (S j)). destruct (steps j) as [_ strictly]. specialize (strictly fall).
    specialize (shrinks (j - i) i). replace (j - i + i) with j in shrinks by lia. lia. }
  apply (below (S (rank 0)) 0). lia.
Qed.

(* Lasso certificates *)

Definition member (b : state) (states : list state) : bool :=
  existsb (fun a => if same a b then true else false) states.

Fixpoint linked (states : list state) : bool :=
  match states with
  | a :: (b :: _) as later => member b (successors a) && linked later
  | _ => true
  end.

Definition accept_lasso (l : lasso state) : bool :=
  member (letter_at l 0) initial && linked (letters l ++ [first l]) && existsb accepting (cycle l).

Lemma member_is_in : forall b states, member b states = true <-> In b states.
Proof.
  intros b states. unfold member. rewrite existsb_exists. split.
  - intros (a & inside & equal). destruct (same a b) as [->|]; [auto | discriminate].
  - intros inside. exists b. split; auto. destruct (same b b); congruence.
Qed.

Lemma linked_edges : forall states d, linked states = true -> forall i, S i < length states ->
  edge (nth i states d) (nth (S i) states d).
Proof.
  intros states d. induction states as [|a [|b later] IH]; intros links i less; simpl in less; try lia.
  cbn [linked] in links. apply andb_prop in links as [ab others].
  destruct i; [apply member_is_in; exact ab|]. apply (IH others i). simpl. lia.
Qed.

Lemma accepted_step : forall l, linked (letters l ++ [first l]) = true -> forall i, i < size l ->
  edge (letter_at l i) (letter_at l (successor l i)).
Proof.
  intros l links i less. pose proof (size_letters _ l) as S1.
  pose proof (linked_edges _ (first l) links i) as E. rewrite app_length, S1 in E. simpl in E.
  specialize (E ltac:(lia)).
  rewrite app_nth1 in E by lia. unfold letter_at, successor.
  destruct (Nat.ltb_spec (S i) (size l)) as [inside|last].
  - rewrite app_nth1 in E by lia. exact E.
  - rewrite app_nth2 in E by lia. replace (S i - length (letters l)) with 0 in E by lia. simpl in E.
    replace (nth (start l) (letters l) (first l)) with (first l); [exact E|].
    unfold letters, start. rewrite app_nth2, Nat.sub_diag by lia. reflexivity.
Qed.

Theorem accepted_lasso_is_an_accepting_run : forall l, accept_lasso l = true -> accepting_run (unrolled l).
Proof.
  intros l accepted. apply andb_prop in accepted as [accepted meets]. apply andb_prop in accepted as [begins links].
  pose proof (period_positive _ l) as P. split; [split|].
  - unfold unrolled. rewrite position_small by (unfold size; lia). apply member_is_in. exact begins.
  - intros i. unfold unrolled. rewrite position_successor. apply accepted_step; auto. apply position_less.
  - intros i. apply existsb_exists in meets as (a & inside & accepts).
    destruct (In_nth _ _ (first l) inside) as (k & less & found). fold (period l) in less.
    exists (start l + (k + i * period l)). split; [nia|].
    unfold unrolled. replace (position l (start l + (k + i * period l))) with (start l + k).
    + unfold letter_at, letters, start. rewrite app_nth2_plus, found. exact accepts.
    + unfold position. destruct (Nat.ltb_spec (start l + (k + i * period l)) (start l)); [lia|].
      f_equal. replace (start l + (k + i * period l) - start l) with (k + i * period l) by lia.
      rewrite Nat.mod_add, Nat.mod_small; lia.
Qed.

(* Completeness on finite graphs *)

Section Finite.
Variable states : list state.
Hypothesis begins_inside : forall a, In a initial -> In a states.
Hypothesis stays_inside : forall a b, In a states -> edge a b -> In b states.

Definition reached (a : state) := exists b, In b initial /\ leads edge b a.
Definition accepting_cycle := exists a, reached a /\ accepting a = true /\ way edge a a.

Lemma reached_next : forall a b, reached a -> edge a b -> reached b.
Proof.
  intros a b (c & begins & path) ab. exists c. split; auto. right. destruct path as [equal|path].
  - subst. apply way_edge. auto.
  - eapply way_trans; eauto. apply way_edge. auto.
Qed.

Lemma reached_inside : forall a, reached a -> In a states.
Proof.
  intros a (b & begins & [equal|path]); [subst; auto|].
  apply begins_inside in begins. induction path; eauto.
Qed.

Lemma linked_way : forall a b, way edge a b -> exists between, linked (a :: between ++ [b]) = true.
Proof.
  intros a b path. induction path as [a b ab|a b c ab _ (between & links)].
  - exists []. simpl. rewrite (proj2 (member_is_in b (successors a)) ab). reflexivity.
  - exists (b :: between). change (member b (successors a) && linked (b :: between ++ [c]) = true).
    rewrite links, (proj2 (member_is_in b (successors a)) ab). reflexivity.
Qed.

Lemma linked_join : forall before a later, linked (before ++ [a]) = true -> linked (a :: later) = true ->
  linked (before ++ a :: later) = true.
Proof.
  induction before as [|b [|c before] IH]; intros a later L1 L2; auto.
  - simpl in L1 |- *. apply andb_prop in L1 as [ba _]. rewrite ba. exact L2.
  - cbn [app linked] in L1 |- *. apply andb_prop in L1 as [bc L1]. rewrite bc. apply (IH a later L1 L2).
Qed.

Lemma cycle_gives_lasso : accepting_cycle -> exists l, accept_lasso l = true.
Proof.
  intros (a & (b & from & ba) & accepts & aa). destruct (linked_way a a aa) as (between & round).
  assert (stem : exists before, linked (before ++ [a]) = true /\ hd a before = b).
  { destruct ba as [->|ba]; [exists []; auto|]. destruct (linked_way b a ba) as (path & links).
    exists (b :: path). auto. }
  destruct stem as (before & stem & head).
  exists {| prefix := before; first := a; rest := between |}. unfold accept_lasso.
  rewrite !andb_true_iff. repeat split.
  - apply member_is_in. unfold letter_at, letters. simpl. destruct before; simpl in *; subst; auto.
  - unfold letters, cycle. simpl prefix. simpl first. simpl rest. rewrite <- app_assoc. apply linked_join; auto.
  - simpl. rewrite accepts. reflexivity.
Qed.

Theorem lasso_exists : forall r, accepting_run r -> exists l, accept_lasso l = true.
Proof.
  intros r [[begins steps] often]. apply cycle_gives_lasso, NNPP. intros none.
  destruct (ranking_exists state (fun a b => reached a /\ edge a b) (fun a => accepting a = true) states)
    as (rank & ranking).
  - intros a accepts _ aa. apply none. exists a. split; [inversion aa; subst; tauto|]. split; auto.
    eapply way_weaker; [|exact aa]. simpl. tauto.
  - assert (visited : forall i, reached (r i)).
    { induction i; [exists (r 0); split; auto; left; auto | eapply reached_next; eauto]. }
    apply (no_endless_fall (fun i => rank (r i)) (fun i => accepting (r i) = true)); auto.
    intros i. destruct (ranking (r i) (r (S i))) as [le less]; auto.
    split; auto. intros accepts. apply less; auto. apply reached_inside; auto.
Qed.

Lemma rank_is_kept : forall (rank : state -> Z) listed a, In a listed ->
  rank_at (map (fun b => (b, rank b)) listed) (number_of (map (fun b => (b, rank b)) listed) a) = rank a.
Proof.
  intros rank listed a inside. unfold rank_at.
  destruct (found_is_row (map (fun b => (b, rank b)) listed) a) as [_ (r & at_a)].
  - apply listed_is_found. rewrite map_map, map_id. auto.
  - rewrite at_a. rewrite nth_error_map in at_a. destruct (nth_error listed _); [|discriminate].
    injection at_a as -> <-. reflexivity.
Qed.

Theorem ranks_exist : (forall r, ~ accepting_run r) -> exists certificate, accept_ranks certificate = true.
Proof.
  intros none.
  destruct (ranking_exists state edge (fun a => accepting a = true /\ reached a) states) as (rank & ranking).
  - intros a [accepts R] _ aa. destruct cycle_gives_lasso as (l & accepted); [exists a; auto|].
    apply (none (unrolled l)). apply accepted_lasso_is_an_accepting_run. exact accepted.
  - destruct (decided state (fun a _ => reached a)) as (visited & right).
    set (listed := filter (fun a => visited a a) states).
    assert (complete : forall a, reached a -> In a listed).
    { intros a R. apply filter_In. split; [apply reached_inside; auto | apply right; auto]. }
    set (ranked := fun a => (a, Z.of_nat (rank a))).
    assert (numbered : forall a, reached a ->
      (0 <= number_of (map ranked listed) a < size_of (map ranked listed))%Z).
    { intros a R. apply listed_is_found. unfold ranked. rewrite map_map, map_id. auto. }
    exists (map ranked listed). unfold accept_ranks. apply andb_true_intro. split.
    + apply accept_start_contract. intros k inside. split; auto.
      destruct (nth_error initial (Z.to_nat k)) as [a|] eqn:at_k; [|apply nth_error_None in at_k; lia].
      rewrite <- (Z2Nat.id k), (numbers_are _ _ _ _ at_k) by lia. apply numbered.
      exists a. split; [eapply nth_error_In; eauto | left; auto].
    + apply all_decided_contract. intros k inside. unfold marks_behind. apply Z.le_ge, Z.eq_le_incl. symmetry.
      rewrite <- (Z2Nat.id k), <- (Z.add_0_l (Z.of_nat (Z.to_nat k))) by lia. unfold size_of in inside.
      apply explained_is_decided; [|lia]. clear k inside.
      intros n a r at_n k inside. rewrite nth_error_map in at_n.
      destruct (nth_error listed n) as [c|] eqn:at_c; [|discriminate]. injection at_n as -> <-.
      assert (R : reached a).
      { apply nth_error_In, filter_In in at_c as [_ V]. apply right in V. exact V. }
      destruct (nth_error (successors a) (Z.to_nat k)) as [b|] eqn:at_k; [|apply nth_error_None in at_k; lia].
      assert (ab : edge a b) by (eapply nth_error_In; eauto). assert (Rb : reached b) by (eapply reached_next; eauto).
      rewrite <- (Z2Nat.id k), (numbers_are _ _ _ _ at_k) by lia.
      unfold ranked. rewrite (rank_is_kept (fun a => Z.of_nat (rank a))) by auto. fold ranked.
      assert (own : rank_at (map ranked listed) (0 + Z.of_nat n)%Z = Z.of_nat (rank a)).
      { unfold rank_at. rewrite Z.add_0_l, Nat2Z.id, nth_error_map, at_c. reflexivity. }
      rewrite own. destruct (ranking a b ab) as [le less]. split; [apply numbered; auto|]. split; [lia|].
      intros stays. unfold forbidden_of. destruct (accepting a) eqn:accepts; auto.
      specialize (less (conj eq_refl R) (reached_inside a R)). lia.
Qed.
End Finite.
End Certificates.

(* The checkers at work, on a graph of three states in which 1 and 2 follow each other for ever. *)
Section Shown.
Definition graph (a : nat) : list nat := match a with 0 => [1] | 1 => [2] | 2 => [1] | _ => [] end.
Example ranks_accepted : accept_ranks nat Nat.eq_dec [0] graph (Nat.eqb 0) [(0, 1%Z); (1, (-3)%Z); (2, (-3)%Z)] = true.
Proof. reflexivity. Qed.
Example equal_rank_refused : accept_ranks nat Nat.eq_dec [0] graph (Nat.eqb 0) [(0, 0%Z); (1, 0%Z); (2, 0%Z)] = false.
Proof. reflexivity. Qed.
Example missing_state_refused : accept_ranks nat Nat.eq_dec [0] graph (Nat.eqb 0) [(0, 1%Z); (1, 0%Z)] = false.
Proof. reflexivity. Qed.
Example lasso_accepted :
  accept_lasso nat Nat.eq_dec [0] graph (Nat.eqb 2) {| prefix := [0]; first := 1; rest := [2] |} = true.
Proof. reflexivity. Qed.
Example open_lasso_refused :
  accept_lasso nat Nat.eq_dec [0] graph (Nat.eqb 1) {| prefix := [0]; first := 1; rest := [] |} = false.
Proof. reflexivity. Qed.
End Shown.
