(* The search for a fair run by strongly connected components, again and again (Emerson and Lei, 1987): it ends, and
   answers with a fair run if there is one.

   A component in which nothing is accepting is dismissed. It has the answer if it treats every process fairly that
   can move in one of its states: some edge inside does. Else, for strong fairness, the states in which somebody
   starved can move are taken out, and what is left is decomposed again. The text follows everafter.product.fairness
   line by line: sets are lists, and the states that wait to be decomposed are a list whose first is taken.

   An answer is a lasso, and the run round it is accepted and fair to every process (`answer_is_fair`): in a component
   one cycle takes an edge for each process, and leaves an accepting state. Without an answer no run at all is
   accepted and fair (`nothing_is_missed`): the states in which a run is again and again lie in one component of
   whatever they are part of, and are never taken out. `search_is_right` says both, and that there is one or the
   other; all of it goes for weak and for strong fairness. *)
(* Proves: search_ends, answer_is_fair, nothing_is_missed, search_is_right *)
(* Assumes: classic (a run is in a state again and again, or there is a last time) *)
From Coq Require Import Arith Lia List Bool Classical.
From everafter.product Require Import fairness paths decomposing fair_lasso.
Import ListNotations.

Section Search.
Variable size : nat.
Variable edges : nat -> list edge.
Variable able : nat -> option (list nat).
Variable accepting : nat -> bool.
Variable processes : nat.
Variable strongly_connected_components : (nat -> list nat) -> list nat -> list (list nat).

Local Notation components := (decomposing.components edges strongly_connected_components).
Local Notation inner := (decomposing.inner edges).
Local Notation targets_inside := (decomposing.targets_inside edges).
Local Notation is_connected := (decomposing.is_connected edges).
Local Notation able_in := (fair_lasso.able_in able).
Local Notation starved := (fair_lasso.starved edges able).
Local Notation fair_lasso := (fair_lasso.fair_lasso size edges able accepting).
Local Notation fair := (fair_lasso.fair able).


(* fair_run: the component that has the answer, or what is still to be decomposed, the last first. *)
Fixpoint look (kind : fairness) (found pending : list (list nat)) : list nat + list (list nat) :=
  match found with
  | [] => inr pending
  | component :: others =>
    if negb (existsb accepting component) then look kind others pending
    else match starved kind component, kind with
      | [], _ => inl component
      | _, weak => look kind others pending
      | hungry, strong =>
        look kind others (filter (fun s => negb (existsb (has (able_in s)) hungry)) component :: pending)
      end
  end.

Inductive outcome := answer (entry cycle : list edge) | nothing | unfinished.
Fixpoint rounds (kind : fairness) (many : nat) (pending : list (list nat)) : outcome :=
  match many, pending with
  | _, [] => nothing
  | 0, _ => unfinished
  | S fewer, inside :: rest =>
    match look kind (components inside) rest with
    | inl component => let lasso := fair_lasso kind component in answer (fst lasso) (snd lasso)
    | inr others => rounds kind fewer others
    end
  end.
Definition fair_run (kind : fairness) : outcome := rounds kind (S size) [seq 0 size].

Hypothesis graph : is_graph size edges able accepting processes.
Hypothesis explored : is_explored size edges.
Hypothesis decomposition : decomposes strongly_connected_components.

Lemma edges_fit : forall s e, In e (edges s) -> source e = s /\ target e < size.
Proof. apply graph. Qed.

(* It ends. *)
Definition mass (pending : list (list nat)) : nat := list_sum (map (fun part => S (length part)) pending).

Lemma filter_less : forall (keep : nat -> bool) inside s, In s inside -> keep s = false ->
  length (filter keep inside) < length inside.
Proof.
  intros keep inside s. induction inside as [|t inside IH]; simpl; [tauto|]. intros [->|there] out.
  - rewrite out. clear. induction inside as [|t inside IH]; simpl; [lia|]. destruct (keep t); simpl; lia.
  - specialize (IH there out). destruct (keep t); simpl; lia.
Qed.

Lemma taken_out : forall kind component p others, starved kind component = p :: others ->
  length (filter (fun s => negb (existsb (has (able_in s)) (p :: others))) component) < length component.
Proof.
  intros kind component p others is.
  assert (hungry : In p (starved kind component)) by (rewrite is; left; reflexivity).
  apply starved_is in hungry. destruct hungry as [(s & there & can) _].
  apply (filter_less _ _ s there). apply negb_false_iff. simpl. apply orb_true_iff. left. apply has_true, can.
Qed.

Lemma look_mass : forall kind found pending next, look kind found pending = inr next ->
  mass next <= mass pending + length (concat found).
Proof.
  intros kind found. induction found as [|component others IH]; intros pending next; simpl.
  - intros is. injection is as <-. lia.
  - rewrite app_length. destruct (existsb accepting component); simpl.
    + destruct (starved kind component) as [|p hungry] eqn:is; [discriminate|]. destruct kind; intros then_.
      * specialize (IH _ _ then_). lia.
      * specialize (IH _ _ then_). pose proof (taken_out _ _ _ _ is). unfold mass in *. simpl in *. lia.
    + intros then_. specialize (IH _ _ then_). lia.
Qed.

Theorem search_ends : forall kind, fair_run kind <> unfinished.
Proof.
  intros kind. unfold fair_run.
  assert (enough : mass [seq 0 size] <= S size) by (unfold mass; simpl; rewrite seq_length; lia).
  revert enough. generalize (S size), [seq 0 size]. intros many.
  induction many as [|many IH]; intros [|inside rest] enough; simpl;
    try discriminate.
  - unfold mass in enough. simpl in enough. lia.
  - destruct (look kind (components inside) rest) as [component|others] eqn:is; [discriminate|].
    apply IH. apply look_mass in is. pose proof (components_fit edges _ decomposition inside).
    unfold mass in *. simpl in *. lia.
Qed.

Lemma look_keeps : forall kind found pending next, look kind found pending = inr next -> incl pending next.
Proof.
  intros kind found. induction found as [|first others IH]; intros pending next; simpl.
  - intros is. injection is as <-. apply incl_refl.
  - destruct (existsb accepting first); simpl; [|apply IH].
    destruct (starved kind first) as [|p hungry]; [discriminate|].
    destruct kind; intros then_ part there; apply (IH _ _ then_); simpl; auto.
Qed.


(* No fair run is missed: the states in which it is again and again stay together, and none is taken out. *)
Section Run.
Variable kind : fairness.
Variable r : run.
Hypothesis runs : is_run edges r.
Hypothesis accepted : often (accepts accepting) r.
Hypothesis is_fair : forall p, fair kind r p.

Lemma run_reaches : forall inside n, covers r inside -> (forall i, n <= i -> for_ever r (source (r i))) ->
  forall many i, n <= i -> reaches (targets_inside inside) (source (r i)) (source (r (many + i))).
Proof.
  intros inside n all settled many. induction many as [|many IH]; intros i le; [apply reaches_itself|].
  apply reaches_on with (source (r (S i))).
  - destruct runs as [_ goes]. destruct (goes i) as [there leads]. unfold targets_inside. apply filter_In. split.
    + rewrite <- leads. apply in_map. exact there.
    + apply has_true, all, settled. lia.
  - specialize (IH (S i) ltac:(lia)). rewrite Nat.add_succ_r in IH. exact IH.
Qed.

Lemma component_covers : forall inside, covers r inside ->
  exists component, In component (components inside) /\ covers r component.
Proof.
  intros inside all. destruct (settles _ _ _ _ _ graph r runs) as [n settled].
  destruct (decomposition (targets_inside inside) inside (closed edges inside)) as (_ & listed & same).
  set (a := source (r n)).
  assert (there : In a inside) by (apply all, settled; lia).
  destruct (proj1 (in_concat _ a) (proj2 (listed a) (ex_intro _ a (conj there (reaches_itself _ a)))))
    as (part & among & within).
  assert (together : covers r part).
  { intros b again. apply (same part a b among within). destruct (again n) as (j & le & here). simpl in here.
    destruct (settled n (le_n n) j) as (k & later & back). simpl in back. split.
    - rewrite <- here. replace j with (j - n + n) by lia. apply run_reaches with n; auto.
    - rewrite <- here. unfold a. rewrite <- back. replace k with (k - j + j) by lia. apply run_reaches with n; auto. }
  exists part. split; [|exact together]. apply filter_In. split; [exact among|]. apply orb_true_iff. right.
  apply existsb_exists. exists a. split; [exact within|]. apply existsb_exists. exists (source (r (S n))).
  destruct runs as [_ goes]. destruct (goes n) as [edge_ leads].
  assert (for_ever r (source (r (S n)))) by (apply settled; lia). split; [|apply has_true; auto].
  apply filter_In. split; [rewrite <- leads; apply in_map; exact edge_ | apply has_true; auto].
Qed.

Lemma look_covers : forall component found pending next, In component found -> covers r component ->
  look kind found pending = inr next -> exists part, In part next /\ covers r part.
Proof.
  intros component found. induction found as [|first others IH]; intros pending next among all; [destruct among|].
  destruct among as [->|later]; simpl.
  - rewrite (covers_accepting _ _ _ _ _ graph r runs accepted component all). simpl.
    pose proof (starved_is_unable _ _ _ _ _ graph kind r runs accepted is_fair component) as unable.
    destruct (starved kind component) as [|p hungry]; [discriminate|].
    destruct kind; intros then_; [destruct (unable p all (or_introl eq_refl)); discriminate|].
    eexists. split; [apply (look_keeps _ _ _ _ then_); left; reflexivity|].
    intros s again. apply filter_In. split; [auto|]. apply negb_true_iff.
    change (existsb (has (able_in s)) (p :: hungry) = false).
    destruct (existsb (has (able_in s)) (p :: hungry)) eqn:is; [|reflexivity].
    apply existsb_exists in is. destruct is as (q & among & can). apply has_true in can.
    destruct (unable q all among) as [_ never]. destruct (never s again can).
  - destruct (existsb accepting first); simpl; [|eauto].
    destruct (starved kind first) as [|p hungry]; [discriminate|]. destruct kind; eauto.
Qed.

Lemma covered_is_found : forall many pending, (exists part, In part pending /\ covers r part) ->
  rounds kind many pending <> nothing.
Proof.
  intros many. induction many as [|many IH]; intros [|inside rest] (part & there & all); simpl; try discriminate;
    try (destruct there; fail).
  destruct there as [->|later].
  - destruct (component_covers part all) as (component & among & within).
    destruct (look kind (components part) rest) as [found|others] eqn:is; [discriminate|].
    apply IH. eapply look_covers; eauto.
  - destruct (look kind (components inside) rest) as [found|others] eqn:is; [discriminate|].
    apply IH. exists part. split; [apply (look_keeps _ _ _ _ is), later | exact all].
Qed.
End Run.

Theorem nothing_is_missed : forall kind, fair_run kind = nothing ->
  forall r, is_run edges r -> often (accepts accepting) r -> ~ forall p, fair kind r p.
Proof.
  intros kind none r runs accepted is_fair.
  apply (covered_is_found kind r runs accepted is_fair (S size) [seq 0 size]); [|exact none].
  exists (seq 0 size). split; [left; reflexivity|]. intros s again. destruct (again 0) as (i & _ & <-).
  apply in_seq. split; [lia|]. simpl. exact (run_inside _ _ _ _ _ graph r runs i).
Qed.

(* An answer is a fair run. *)
Lemma look_answers : forall kind found pending component, look kind found pending = inl component ->
  In component found /\ existsb accepting component = true /\ starved kind component = [].
Proof.
  intros kind found. induction found as [|first others IH]; intros pending component; simpl; [discriminate|].
  destruct (existsb accepting first) eqn:accepts_; simpl.
  - destruct (starved kind first) as [|p hungry] eqn:is.
    + intros same. injection same as <-. auto.
    + destruct kind; intros then_; destruct (IH _ _ then_) as (there & rest); auto.
  - intros then_. destruct (IH _ _ then_) as (there & rest). auto.
Qed.

Lemma look_leaves : forall kind found pending next part, look kind found pending = inr next -> In part next ->
  In part pending \/ exists component, In component found /\ incl part component.
Proof.
  intros kind found. induction found as [|first others IH]; intros pending next part; simpl.
  - intros is. injection is as <-. auto.
  - assert (other : (exists component, In component others /\ incl part component) ->
      exists component, (first = component \/ In component others) /\ incl part component) by (intros (c & ? & ?);
        eauto).
    destruct (existsb accepting first); simpl.
    + destruct (starved kind first) as [|p hungry]; [discriminate|].
      destruct kind; intros then_ there; destruct (IH _ _ _ then_ there) as [before|later]; auto.
      destruct before as [<-|before]; [|auto]. right. exists first. split; [auto|].
      intros s inside. apply filter_In in inside. apply inside.
    + intros then_ there. destruct (IH _ _ _ then_ there); auto.
Qed.

Lemma answered : forall kind many pending entry cycle, rounds kind many pending = answer entry cycle ->
  (forall part, In part pending -> incl part (seq 0 size)) ->
  exists component, is_connected component /\ incl component (seq 0 size) /\ existsb accepting component = true
    /\ starved kind component = [] /\ (entry, cycle) = fair_lasso kind component.
Proof.
  intros kind many. induction many as [|many IH]; intros [|inside rest] entry cycle; simpl; try discriminate.
  destruct (look kind (components inside) rest) as [component|others] eqn:is; intros then_ fits.
  - injection then_ as <- <-. apply look_answers in is. destruct is as (among & accepts_ & nobody_). exists component.
    split; [eapply components_are_connected; eauto using edges_fit|]. split; [|auto].
    eapply incl_tran; [eapply components_inside; eauto | apply fits; left; reflexivity].
  - apply (IH _ _ _ then_). intros part there.
    destruct (look_leaves _ _ _ _ _ is there) as [before|(c & among & within)].
    + apply fits. right. exact before.
    + eapply incl_tran; [exact within|]. eapply incl_tran; [eapply components_inside; eauto|].
      apply fits. left. reflexivity.
Qed.

Theorem answer_is_fair : forall kind entry cycle, fair_run kind = answer entry cycle ->
  is_lasso edges entry cycle /\ is_run edges (round entry cycle) /\ often (accepts accepting) (round entry cycle)
  /\ forall p, fair kind (round entry cycle) p.
Proof.
  intros kind entry cycle is. apply answered in is.
  - destruct is as (component & connected & fits & accepts_ & nobody_ & same).
    pose proof (lasso_is_fair _ _ _ _ _ graph explored kind component connected fits accepts_ nobody_) as right.
    rewrite <- same in right. exact right.
  - intros part [<-|[]]. apply incl_refl.
Qed.

(* Proof of everafter.product.fairness.fair_run. *)
Theorem search_is_right : forall kind,
  match fair_run kind with
  | answer entry cycle =>
    is_lasso edges entry cycle /\ is_run edges (round entry cycle) /\ often (accepts accepting) (round entry cycle)
    /\ forall p, fair kind (round entry cycle) p
  | nothing => forall r, is_run edges r -> often (accepts accepting) r -> ~ forall p, fair kind r p
  | unfinished => False
  end.
Proof.
  intros kind. destruct (fair_run kind) as [entry cycle| |] eqn:is.
  - exact (answer_is_fair kind entry cycle is).
  - exact (nothing_is_missed kind is).
  - exact (search_ends kind is).
Qed.
End Search.
