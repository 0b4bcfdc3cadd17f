(* Fair runs are searched for in the whole product, with its states numbered as they are met.

   The text follows everafter.product.fairness._explored: states are listed as they are met, those of the list are
   expanded one after the other, and an edge says the numbers of both ends and who moves. If finitely many states can
   be reached, this ends (`exploring_ends`). What comes of it is a graph of which product/fair_search.v speaks, and its
   runs are those of the product. So the search in it decides (`fair_run_decides`): it answers with a run of the
   product that is accepted and fair to every process, weakly or strongly as was asked, or there is none. *)
(* Proves: exploring_ends, fair_run_decides *)
(* Assumes: classic (as product/fair_search.v) *)
From Coq Require Import Arith Lia List Bool Classical.
From everafter.product Require Import fairness paths decomposing fair_lasso fair_search.
Import ListNotations.

Section Exploring.
Variable state : Type.
Variable same : forall a b : state, {a = b} + {a <> b}.
Variable initial : state.
Variable steps : state -> list (list nat * state).
Variable able : state -> option (list nat).
Variable accepting : state -> bool.

(* The number of a state in the list of those that were met, which it joins if it is new. *)
Fixpoint place (met : list state) (s : state) : nat :=
  match met with [] => 0 | t :: rest => if same s t then 0 else S (place rest s) end.
Definition joined (met : list state) (s : state) : list state :=
  if in_dec same s met then met else met ++ [s].

(* The edges of a state, and what was met then. *)
Fixpoint numbered (source : nat) (met : list state) (out : list (list nat * state)) : list state * list edge :=
  match out with
  | [] => (met, [])
  | (who, t) :: rest =>
    let more := joined met t in
    let (all, listed) := numbered source more rest in
    (all, {| source := source; target := place more t; movers := who |} :: listed)
  end.

Fixpoint explore (many : nat) (met : list state) (done : list (list edge)) : option (list state * list (list edge)) :=
  match nth_error met (length done) with
  | None => Some (met, done)
  | Some s =>
    match many with
    | 0 => None
    | S fewer => let (more, out) := numbered (length done) met (steps s) in explore fewer more (done ++ [out])
    end
  end.

Inductive reached : state -> Prop :=
| reached_initial : reached initial
| reached_step : forall a who b, reached a -> In (who, b) (steps a) -> reached b.

(* Runs of the product: states, and who moves in each step. *)
Definition product_run (q : nat -> state) (who : nat -> list nat) :=
  q 0 = initial /\ forall i, In (who i, q (S i)) (steps (q i)).

(* What is listed. *)
Lemma place_is : forall met s, In s met -> place met s < length met /\ nth (place met s) met initial = s.
Proof.
  intros met s. induction met as [|t met IH]; simpl; [tauto|]. destruct (same s t) as [->|other].
  - intros _. split; [lia | reflexivity].
  - intros [is|there]; [congruence|]. destruct (IH there) as [less is]. split; [lia | exact is].
Qed.

Lemma place_nth : forall met n, NoDup met -> n < length met -> place met (nth n met initial) = n.
Proof.
  intros met n once. revert n. induction once as [|t met fresh once IH]; intros n less; simpl in *; [lia|].
  destruct n as [|n]; [destruct (same t t); congruence|].
  destruct (same (nth n met initial) t) as [is|_]; [|rewrite IH; lia].
  destruct fresh. rewrite <- is. apply nth_In. lia.
Qed.

Lemma joined_is : forall met t, NoDup met -> NoDup (joined met t) /\ In t (joined met t)
  /\ (exists more, joined met t = met ++ more) /\ (forall s, In s (joined met t) -> In s met \/ s = t)
  /\ forall n, length met <= n < length (joined met t) -> n = place (joined met t) t.
Proof.
  intros met t once. unfold joined. destruct (in_dec same t met) as [there|new].
  - repeat split; auto; [exists []; rewrite app_nil_r; reflexivity | intros n range; lia].
  - assert (NoDup (met ++ [t])).
    { apply (NoDup_Add (a := t) (l := met)); [|auto]. rewrite <- (app_nil_r met) at 1. apply Add_app. }
    repeat split; auto.
    + apply in_or_app. right. left. reflexivity.
    + exists [t]. reflexivity.
    + intros s there. apply in_app_or in there. destruct there as [there|[<-|[]]]; auto.
    + intros n range. rewrite app_length in range. simpl in range. replace n with (length met) by lia.
      replace t with (nth (length met) (met ++ [t]) initial) at 2 by (rewrite app_nth2, Nat.sub_diag; auto).
      symmetry. apply place_nth; [auto|]. rewrite app_length. simpl. lia.
Qed.

Definition meaning (met : list state) (e : edge) : list nat * state := (movers e, nth (target e) met initial).

Lemma meaning_more : forall met more listed, (forall e, In e listed -> target e < length met) ->
  map (meaning (met ++ more)) listed = map (meaning met) listed.
Proof.
  intros met more listed below. apply map_ext_in. intros e there. unfold meaning. rewrite app_nth1; auto.
Qed.

Lemma numbered_is : forall from out met all listed, numbered from met out = (all, listed) -> NoDup met ->
  NoDup all /\ (exists more, all = met ++ more)
  /\ (forall s, In s all -> In s met \/ exists who, In (who, s) out)
  /\ (forall e, In e listed -> source e = from /\ target e < length all)
  /\ map (meaning all) listed = out
  /\ forall n, length met <= n < length all -> exists e, In e listed /\ target e = n.
Proof.
  intros from out. induction out as [|[who t] out IH]; intros met all listed is once; simpl in is.
  - injection is as <- <-. split; [exact once|]. split; [exists []; rewrite app_nil_r; reflexivity|].
    split; [auto|]. split; [intros e []|]. split; [reflexivity|]. intros n range. lia.
  - destruct (joined_is met t once) as (once' & there & (more & longer) & only & new).
    destruct (numbered from (joined met t) out) as [others rest] eqn:next. injection is as <- <-.
    destruct (IH _ _ _ next once') as (once'' & (more' & longer') & only' & fits & right & news).
    destruct (place_is _ _ there) as [below at_].
    assert (least : length (joined met t) <= length others) by (rewrite longer', app_length; lia).
    split; [exact once''|]. split; [|split; [|split; [|split]]].
    + exists (more ++ more'). rewrite longer', longer, app_assoc. reflexivity.
    + intros s inside. destruct (only' s inside) as [before|(x & later)].
      * destruct (only s before) as [old|is]; [auto|]. right. exists who. left. congruence.
      * right. exists x. right. exact later.
    + intros e [<-|later]; [split; [reflexivity | simpl; lia] | exact (fits e later)].
    + simpl. rewrite right. unfold meaning. simpl. rewrite longer', app_nth1, at_ by exact below. reflexivity.
    + intros n range. destruct (le_lt_dec (length (joined met t)) n) as [later|now].
      * destruct (news n ltac:(lia)) as (e & inside & to). exists e. split; [right; exact inside | exact to].
      * eexists. split; [left; reflexivity|]. simpl. symmetry. apply new. lia.
Qed.

(* What holds while states are expanded. *)
Definition out_of (done : list (list edge)) (n : nat) : list edge := nth n done [].
Definition in_exploring (met : list state) (done : list (list edge)) :=
  NoDup met /\ nth_error met 0 = Some initial /\ length done <= length met /\ (forall s, In s met -> reached s)
  /\ (forall n e, In e (out_of done n) -> source e = n /\ target e < length met)
  /\ (forall n, n < length done -> map (meaning met) (out_of done n) = steps (nth n met initial))
  /\ (forall n, n < length met -> exists way, walk (out_of done) 0 way n).

Lemma walk_more : forall these those, (forall a, incl (these a) (those a)) ->
  forall way a b, walk these a way b -> walk those a way b.
Proof.
  intros these those more way. induction way as [|e way IH]; intros a b goes; simpl in *; [exact goes|].
  destruct goes as (begins & inside & goes). split; [exact begins|]. split; [apply more, inside | auto].
Qed.

Lemma in_out_of : forall done out n, incl (out_of done n) (out_of (done ++ [out]) n).
Proof.
  intros done out n e there. unfold out_of in *. destruct (le_lt_dec (length done) n) as [far|near].
  - rewrite nth_overflow in there by exact far. destruct there.
  - rewrite app_nth1; auto.
Qed.

Lemma out_of_new : forall done out n, out_of (done ++ [out]) n = if n =? length done then out else out_of done n.
Proof.
  intros done out n. unfold out_of. destruct (n =? length done) eqn:is.
  - apply Nat.eqb_eq in is. subst. rewrite app_nth2, Nat.sub_diag; auto.
  - apply Nat.eqb_neq in is. destruct (le_lt_dec (length done) n) as [far|near]; [|apply app_nth1; exact near].
    rewrite !nth_overflow; auto. rewrite app_length. simpl. lia.
Qed.

Lemma exploring_goes_on : forall met done s more out, in_exploring met done -> nth_error met (length done) = Some s ->
  numbered (length done) met (steps s) = (more, out) -> in_exploring more (done ++ [out]).
Proof.
  intros met done s more out (once & first & fewer & can & fits & right & ways) here is.
  assert (below : length done < length met) by (apply nth_error_Some; congruence).
  assert (there : nth (length done) met initial = s) by (apply nth_error_nth with (d := initial) in here; exact here).
  destruct (numbered_is _ _ _ _ _ is once) as (once' & (rest & longer) & only & fits' & right' & new).
  assert (least : length met <= length more) by (rewrite longer, app_length; lia).
  split; [exact once'|]. split; [|split; [|split; [|split; [|split]]]].
  - rewrite longer, nth_error_app1; [exact first | lia].
  - rewrite app_length. simpl. lia.
  - intros t inside. destruct (only t inside) as [before|(who & step)]; [auto|].
    apply reached_step with s who; [|exact step]. apply can. apply nth_error_In in here. exact here.
  - intros n e. rewrite out_of_new. destruct (n =? length done) eqn:last.
    + apply Nat.eqb_eq in last. subst n. apply fits'.
    + intros inside. destruct (fits n e inside) as [from to]. split; [exact from | lia].
  - intros n less. rewrite app_length in less. simpl in less. rewrite out_of_new.
    destruct (n =? length done) eqn:last.
    + apply Nat.eqb_eq in last. subst n. rewrite right', longer, app_nth1, there by lia. reflexivity.
    + apply Nat.eqb_neq in last.
      rewrite longer, meaning_more, app_nth1 by (try (intros e inside; apply (fits n e inside)); lia).
      apply right. lia.
  - intros n less. destruct (le_lt_dec (length met) n) as [far|near].
    + destruct (new n ltac:(lia)) as (e & inside & to). destruct (ways (length done) below) as (way & goes).
      exists (way ++ [e]). apply walk_app with (length done).
      * apply (walk_more (out_of done)); [apply in_out_of | exact goes].
      * simpl. split; [apply (fits' e inside)|]. split; [|exact to].
        rewrite out_of_new, Nat.eqb_refl. exact inside.
    + destruct (ways n near) as (way & goes). exists way.
      apply (walk_more (out_of done)); [apply in_out_of | exact goes].
Qed.

Lemma exploring_begins : in_exploring [initial] [].
Proof.
  split; [repeat constructor; simpl; tauto|]. split; [reflexivity|]. split; [simpl; lia|]. split; [|split; [|split]].
  - intros s [<-|[]]. constructor.
  - intros n e. unfold out_of. destruct n; intros [].
  - intros n less. simpl in less. lia.
  - intros n less. simpl in less. exists []. simpl. lia.
Qed.

Lemma explored_is : forall many met done all listed, in_exploring met done ->
  explore many met done = Some (all, listed) ->
  in_exploring all listed /\ length listed = length all.
Proof.
  intros many. induction many as [|many IH]; intros met done all listed so; simpl.
  - destruct (nth_error met (length done)) as [s|] eqn:end_; [discriminate|]. intros is. injection is as <- <-.
    split; [exact so|]. apply nth_error_None in end_. destruct so as (_ & _ & fewer & _). lia.
  - destruct (nth_error met (length done)) as [s|] eqn:here.
    + destruct (numbered (length done) met (steps s)) as [more out] eqn:next. intros is.
      apply (IH _ _ _ _ (exploring_goes_on _ _ _ _ _ so here next) is).
    + intros is. injection is as <- <-. split; [exact so|]. apply nth_error_None in here.
      destruct so as (_ & _ & fewer & _). lia.
Qed.

Variable every : list state.
Hypothesis finitely_many : forall s, reached s -> In s every.

(* Proof of everafter.product.fairness._explored. *)
Theorem exploring_ends : explore (length every) [initial] [] <> None.
Proof.
  assert (enough : length every <= @length (list edge) [] + length every) by (simpl; lia).
  revert enough. pose proof exploring_begins as so. revert so.
  generalize (@nil (list edge)), [initial], (length every) at 2 3.
  intros done met many. revert done met. induction many as [|many IH]; intros done met so enough; simpl.
  - destruct (nth_error met (length done)) as [s|] eqn:end_; [|discriminate].
    assert (below : length done < length met) by (apply nth_error_Some; congruence).
    destruct so as (once & _ & _ & can & _).
    assert (length met <= length every) by (apply NoDup_incl_length; [exact once | intros t there; auto]). lia.
  - destruct (nth_error met (length done)) as [s|] eqn:here; [|discriminate].
    destruct (numbered (length done) met (steps s)) as [more out] eqn:next.
    apply IH; [exact (exploring_goes_on _ _ _ _ _ so here next)|]. rewrite app_length. simpl. lia.
Qed.

(* Fair runs of the product. *)
Definition product_often (this : state -> list nat -> Prop) (q : nat -> state) (who : nat -> list nat) :=
  forall n, exists i, n <= i /\ this (q i) (who i).
Definition able_to (p : nat) (s : state) (_ : list nat) := exists can, able s = Some can /\ In p can.
Definition unable_to (p : nat) (s : state) (_ : list nat) := exists can, able s = Some can /\ ~ In p can.
Definition moves_in (p : nat) (_ : state) (who : list nat) := In p who.
Definition accepted (q : nat -> state) (who : nat -> list nat) := product_often (fun s _ => accepting s = true) q who.
Definition product_fair (kind : fairness) (q : nat -> state) (who : nat -> list nat) (p : nat) :=
  match kind with
  | weak => product_often (able_to p) q who -> (exists n, forall i, n <= i -> ~ unable_to p (q i) (who i)) ->
      product_often (moves_in p) q who
  | strong => product_often (able_to p) q who -> product_often (moves_in p) q who
  end.

Variable processes : nat.
Hypothesis few : forall s can p, able s = Some can -> In p can -> p < processes.
Hypothesis outside : forall s, accepting s = true -> able s <> None.
Variable strongly_connected_components : (nat -> list nat) -> list nat -> list (list nat).
Hypothesis decomposition : decomposes strongly_connected_components.

Definition decided (kind : fairness) (met : list state) (done : list (list edge)) : outcome :=
  fair_run (length met) (out_of done) (fun n => able (nth n met initial)) (fun n => accepting (nth n met initial))
    strongly_connected_components kind.

Section Explored.
Variable met : list state.
Variable done : list (list edge).
Hypothesis so : in_exploring met done.
Hypothesis whole : length done = length met.

Local Notation at_ := (fun n => nth n met initial).
Local Notation able_at := (fun n => able (nth n met initial)).
Local Notation accepting_at := (fun n => accepting (nth n met initial)).

Lemma some_met : 0 < length met.
Proof. destruct so as (_ & first & _). destruct met; [discriminate | simpl; lia]. Qed.

Lemma numbered_graph : is_graph (length met) (out_of done) able_at accepting_at processes.
Proof. destruct so as (_ & _ & _ & _ & fits & _). split; [apply some_met|]. split; [exact fits|]. split; eauto. Qed.

Lemma numbered_explored : is_explored (length met) (out_of done).
Proof. destruct so as (_ & _ & _ & _ & _ & _ & ways). exact ways. Qed.

(* A run of numbers and edges is a run of the product, and the other way round. *)
Definition states_of (r : run) (i : nat) : state := nth (source (r i)) met initial.
Definition movers_of (r : run) (i : nat) : list nat := movers (r i).

Lemma run_of_numbers : forall r, is_run (out_of done) r -> product_run (states_of r) (movers_of r).
Proof.
  intros r runs. pose proof (run_inside _ _ _ _ _ numbered_graph r runs) as below. destruct runs as [begins goes].
  destruct so as (_ & first & _ & _ & _ & right_ & _). split.
  - unfold states_of. rewrite begins. apply nth_error_nth with (d := initial) in first. exact first.
  - intros i. unfold states_of, movers_of. destruct (goes i) as [inside leads]. rewrite <- (right_ (source (r i))).
    + rewrite <- leads. change (In (meaning met (r i)) (map (meaning met) (out_of done (source (r i))))).
      apply in_map. exact inside.
    + rewrite whole. apply below.
Qed.

Definition edges_of (q : nat -> state) (who : nat -> list nat) : run := fun i =>
  {| source := place met (q i); target := place met (q (S i)); movers := who i |}.

Lemma numbers_of_run : forall q who, product_run q who ->
  is_run (out_of done) (edges_of q who) /\ forall i, states_of (edges_of q who) i = q i.
Proof.
  intros q who [begins goes]. destruct so as (once & first & _ & _ & fits & right_ & _).
  assert (step : forall i, In (q i) met ->
    In (q (S i)) met /\ In (edges_of q who i) (out_of done (place met (q i)))).
  { intros i there. destruct (place_is met _ there) as [below is]. pose proof (goes i) as next.
    rewrite <- is, <- (right_ (place met (q i))) in next by lia.
    apply in_map_iff in next. destruct next as (e & same_ & inside). injection same_ as moving to.
    destruct (fits _ _ inside) as [from less]. split; [rewrite <- to; apply nth_In; exact less|].
    replace (edges_of q who i) with e; [exact inside|]. unfold edges_of. rewrite <- to, place_nth by auto.
    destruct e; simpl in *; congruence. }
  assert (all : forall i, In (q i) met).
  { induction i as [|i IH]; [|apply (step i IH)]. rewrite begins. apply nth_error_In in first. exact first. }
  split; [split|].
  - simpl. rewrite begins. apply nth_error_nth with (d := initial) in first.
    pose proof (place_nth met 0 once some_met) as is. rewrite first in is. exact is.
  - intros i. split; [apply (step i (all i)) | reflexivity].
  - intros i. unfold states_of. simpl. apply place_is, all.
Qed.

Lemma often_is : forall (this : edge -> Prop) (that : state -> list nat -> Prop) r q who,
  (forall i, this (r i) <-> that (q i) (who i)) -> often this r <-> product_often that q who.
Proof.
  intros this that r q who is. split; intros again n; destruct (again n) as (i & le & here); exists i;
    (split; [exact le | apply is, here]).
Qed.

Lemma fair_is : forall kind r q p, (forall i, states_of r i = q i) ->
  fair able_at kind r p <-> product_fair kind q (movers_of r) p.
Proof.
  intros kind r q p same_.
  assert (can : often (can_move able_at p) r <-> product_often (able_to p) q (movers_of r)).
  { apply often_is. intros i. unfold can_move, able_to. rewrite <- same_. reflexivity. }
  assert (moving : often (moves p) r <-> product_often (moves_in p) q (movers_of r)).
  { apply often_is. intros i. reflexivity. }
  destruct kind; simpl; unfold weakly_fair, strongly_fair; rewrite can, moving; [|reflexivity].
  assert (never : (exists n, forall i, n <= i -> ~ cannot_move able_at p (r i)) <->
      exists n, forall i, n <= i -> ~ unable_to p (q i) (movers_of r i)).
  { unfold cannot_move, unable_to. split; intros (n & none); exists n; intros i le; specialize (none i le);
      [rewrite <- same_ | rewrite <- same_ in none]; exact none. }
  rewrite never. reflexivity.
Qed.

Lemma accepted_is : forall r q, (forall i, states_of r i = q i) ->
  often (accepts accepting_at) r <-> accepted q (movers_of r).
Proof. intros r q same_. apply often_is. intros i. unfold accepts. rewrite <- same_. reflexivity. Qed.

Lemma decided_is : forall kind,
  match decided kind met done with
  | answer entry cycle =>
    let r := round entry cycle in product_run (states_of r) (movers_of r) /\ accepted (states_of r) (movers_of r)
    /\ forall p, product_fair kind (states_of r) (movers_of r) p
  | nothing => forall q who, product_run q who -> accepted q who -> ~ forall p, product_fair kind q who p
  | unfinished => False
  end.
Proof.
  intros kind.
  pose proof (search_is_right _ _ _ _ _ _ numbered_graph numbered_explored decomposition kind) as is. unfold decided.
  destruct (fair_run _ _ _ _ _ kind) as [entry cycle| |].
  - destruct is as (_ & runs & accepts_ & fairly). split; [apply run_of_numbers, runs|]. split.
    + exact (proj1 (accepted_is _ _ (fun i => eq_refl)) accepts_).
    + intros p. exact (proj1 (fair_is kind _ _ p (fun i => eq_refl)) (fairly p)).
  - intros q who runs accepts_ fairly. destruct (numbers_of_run q who runs) as [numbers same_].
    apply (is (edges_of q who) numbers).
    + exact (proj2 (accepted_is _ _ same_) accepts_).
    + intros p. exact (proj2 (fair_is kind _ _ p same_) (fairly p)).
  - exact is.
Qed.
End Explored.

(* Proof of everafter.product.fairness.fair_run. *)
Theorem fair_run_decides : forall kind, exists met done, explore (length every) [initial] [] = Some (met, done)
  /\ match decided kind met done with
    | answer entry cycle =>
      let r := round entry cycle in product_run (states_of met r) (movers_of r)
      /\ accepted (states_of met r) (movers_of r) /\ forall p, product_fair kind (states_of met r) (movers_of r) p
    | nothing => forall q who, product_run q who -> accepted q who -> ~ forall p, product_fair kind q who p
    | unfinished => False
    end.
Proof.
  intros kind. destruct (explore (length every) [initial] []) as [[met done]|] eqn:is; [|destruct (exploring_ends is)].
  destruct (explored_is _ _ _ _ _ exploring_begins is) as [so whole].
  exists met, done. split; [reflexivity|]. exact (decided_is met done so whole kind).
Qed.
End Exploring.
