(* Certificates: what convinces us of a verdict without trusting the search.

   The states are those of a product of program and claim; the claim is violated exactly if there is an accepting run,
   one that begins in an initial state and meets accepting states for ever. Two kinds of certificate:

   - of "holds", a list of states with ranks. The checker asks that every initial state is in it, that each successor
     of a state in it is in it with a rank no higher, and lower if the state is accepting. Nothing else is asked: not
     that the ranks come from a search, nor that the states are reachable.
   - of "violated", a lasso of states. The checker asks that it begins in an initial state, that every step is one of
     the graph, the last leading back to the start of the cycle, and that the cycle has an accepting state.

   Both checkers are right: what they accept is true. And they are complete on finite graphs: if the verdict is true
   there is a certificate that they accept. *)
(* Proves: accepted_ranks_exclude_accepting_runs, accepted_lasso_is_an_accepting_run, ranks_exist, lasso_exists *)
(* Assumes: classic, constructive_indefinite_description (only ranks_exist, lasso_exists: through search/ranking.v) *)
From Coq Require Import Arith Lia List Bool ZArith Classical.
From everafter.ltl Require Import words lassos.
From everafter.search Require Import ranking.
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

(* Rank certificates *)

(* Ranks are integers: there are finitely many, so they have a lowest. *)
Definition ranks := list (state * Z).

Fixpoint rank_of (certificate : ranks) (a : state) : option Z :=
  match certificate with
  | [] => None
  | (b, rank) :: others => if same b a then Some rank else rank_of others a
  end.

Definition may_follow (certificate : ranks) (a : state) (rank : Z) (b : state) : bool :=
  match rank_of certificate b with
  | None => false
  | Some next => if accepting a then Z.ltb next rank else Z.leb next rank
  end.

Definition row_is_right (certificate : ranks) (a : state) : bool :=
  match rank_of certificate a with
  | None => false
  | Some rank => forallb (may_follow certificate a rank) (successors a)
  end.

Definition accept_ranks (certificate : ranks) : bool :=
  forallb (fun a => match rank_of certificate a with Some _ => true | None => false end) initial &&
  forallb (row_is_right certificate) (map fst certificate).

Lemma ranked_is_listed : forall certificate a rank, rank_of certificate a = Some rank -> In a (map fst certificate).
Proof.
  induction certificate as [|[b r] others IH]; simpl; intros a rank found; [discriminate|].
  destruct (same b a); [left; auto | right; eauto].
Qed.

Lemma accepted_edge : forall certificate a b rank, accept_ranks certificate = true ->
  rank_of certificate a = Some rank -> edge a b ->
  exists next, rank_of certificate b = Some next /\ (next <= rank)%Z /\ (accepting a = true -> (next < rank)%Z).
Proof.
  unfold accept_ranks. intros certificate a b rank accepted found ab.
  apply andb_prop in accepted as [_ rows]. rewrite forallb_forall in rows.
  specialize (rows a (ranked_is_listed _ _ _ found)). unfold row_is_right in rows. rewrite found in rows.
  rewrite forallb_forall in rows. specialize (rows b ab). unfold may_follow in rows.
  destruct (rank_of certificate b) as [next|]; [|discriminate]. exists next.
  destruct (accepting a); [apply Z.ltb_lt in rows | apply Z.leb_le in rows];
    repeat split; auto; try lia; discriminate.
Qed.

(* Ranks along a run never grow, and fall for ever: there is no such run. *)
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

Definition lowest (certificate : ranks) : Z := fold_right Z.min 0%Z (map snd certificate).

Lemma lowest_is_low : forall certificate a rank, rank_of certificate a = Some rank -> (lowest certificate <= rank)%Z.
Proof.
  unfold lowest. induction certificate as [|[b r] others IH]; simpl; intros a rank found; [discriminate|].
  destruct (same b a); [injection found as <-; lia|]. specialize (IH a rank found). lia.
Qed.

(* Proof of everafter.verdict.certificate.accept_ranks *)
Theorem accepted_ranks_exclude_accepting_runs : forall certificate, accept_ranks certificate = true ->
  forall r, ~ accepting_run r.
Proof.
  intros certificate accepted r [[begins steps] often].
  assert (ranked : forall i, exists rank, rank_of certificate (r i) = Some rank).
  { induction i as [|i [rank found]].
    - unfold accept_ranks in accepted. apply andb_prop in accepted as [first _].
      rewrite forallb_forall in first. specialize (first _ begins).
      destruct (rank_of certificate (r 0)); [eauto | discriminate].
    - destruct (accepted_edge _ _ _ _ accepted found (steps i)) as (next & listed & _). eauto. }
  apply (no_endless_fall
    (fun i => match rank_of certificate (r i) with Some rank => Z.to_nat (rank - lowest certificate) | None => 0 end)
    (fun i => accepting (r i) = true)); auto.
  intros i. destruct (ranked i) as [rank found].
  destruct (accepted_edge _ _ _ _ accepted found (steps i)) as (next & listed & le & less).
  pose proof (lowest_is_low _ _ _ found). pose proof (lowest_is_low _ _ _ listed).
  rewrite found, listed. split; [lia|]. intros accepts. specialize (less accepts). lia.
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

(* Proof of everafter.verdict.certificate.accept_lasso *)
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

Lemma rank_of_map : forall (rank : state -> Z) listed a, In a listed ->
  rank_of (map (fun b => (b, rank b)) listed) a = Some (rank a).
Proof.
  intros rank listed a inside. induction listed as [|b listed IH]; simpl in *; [tauto|].
  destruct (same b a) as [->|different]; auto. destruct inside; [congruence | auto].
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
    exists (map (fun a => (a, Z.of_nat (rank a))) listed).
    unfold accept_ranks. rewrite andb_true_iff, !forallb_forall. split.
    + intros a begins. rewrite (rank_of_map (fun b => Z.of_nat (rank b))); auto. apply complete.
      exists a. split; auto. left. auto.
    + intros a inside. rewrite map_map, map_id in inside. unfold row_is_right.
      rewrite (rank_of_map (fun b => Z.of_nat (rank b))) by auto.
      apply filter_In in inside as [inside R]. apply right in R.
      apply forallb_forall. intros b ab. unfold may_follow.
      rewrite (rank_of_map (fun b => Z.of_nat (rank b))) by (apply complete; eapply reached_next; eauto).
      destruct (ranking a b ab) as [le less]. destruct (accepting a) eqn:accepts.
      * apply Z.ltb_lt. specialize (less (conj eq_refl R) inside). lia.
      * apply Z.leb_le. lia.
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
