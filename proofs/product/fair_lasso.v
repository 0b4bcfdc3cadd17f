(* A strongly connected component in which every process is treated fairly has a fair run; one in which some are
   starved has none but where these cannot move.

   An edge treats a process fairly that moves in it; for weak fairness, that cannot move where it begins, too. Who can
   move somewhere in a component and is treated fairly by no edge inside is starved. If nobody is, and a state is
   accepting, one cycle of the component takes an edge for each process and leaves that state: the run into the
   component and then round this cycle is accepted and fair (`lasso_is_fair`). An accepted and fair run that stays in
   a component, on the other hand, shows that nobody is starved, or, for strong fairness, that whoever is can move in
   no state where the run is again and again (`starved_is_unable`). The text follows everafter.product.fairness:
   _treats_fairly, _wanting, _starved and _run. *)
(* Proves: lasso_is_fair, starved_is_unable *)
(* Assumes: classic (a run is in a state again and again, or there is a last time) *)
From Coq Require Import Arith Lia List Bool Classical.
From everafter.product Require Import fairness paths decomposing.
Import ListNotations.

Inductive fairness := weak | strong.

(* All states can be reached: nothing else is numbered. *)
Definition is_explored (size : nat) (edges : nat -> list edge) := forall s, s < size -> exists way, walk edges 0 way s.

(* Where a run is again and again. *)
Definition covers (r : run) (part : list nat) := forall s, for_ever r s -> In s part.

Section Component.
Variable size : nat.
Variable edges : nat -> list edge.
Variable able : nat -> option (list nat).
Variable accepting : nat -> bool.
Variable processes : nat.

Local Notation inner := (decomposing.inner edges).
Local Notation inside_walk := (decomposing.inside_walk edges).
Local Notation is_connected := (decomposing.is_connected edges).

Definition able_in (s : nat) : list nat := match able s with Some can => can | None => [] end.

(* _treats_fairly, _wanting, _starved *)
Definition treats_fairly (kind : fairness) (p : nat) (e : edge) : bool :=
  has (movers e) p || match kind, able (source e) with weak, Some can => negb (has can p) | _, _ => false end.
Definition wanting (component : list nat) : list nat := nodup Nat.eq_dec (flat_map able_in component).
Definition starved (kind : fairness) (component : list nat) : list nat :=
  filter (fun p => negb (existsb (treats_fairly kind p) (inner component))) (wanting component).

(* _path, _run *)
Definition way_to (start : nat) (targets : list nat) (inside : option (list nat)) : list edge :=
  path size edges targets inside start.
Definition arrival (start : nat) (way : list edge) : nat := match rev way with e :: _ => target e | [] => start end.
Definition with_fair_edge (kind : fairness) (component : list nat) (start : nat) (cycle : list edge) (p : nat) :
  list edge :=
  match find (treats_fairly kind p) (inner component) with
  | Some fair => cycle ++ way_to (arrival start cycle) [source fair] (Some component) ++ [fair]
  | None => cycle
  end.
Definition some_edge (component : list nat) (start : nat) (cycle : list edge) : list edge :=
  match cycle, find (fun e => has component (target e)) (edges start) with [], Some e => [e] | _, _ => cycle end.
Definition fair_cycle (kind : fairness) (component : list nat) (start : nat) : list edge :=
  let first := way_to start (filter accepting component) (Some component) in
  let cycle := some_edge component start (fold_left (with_fair_edge kind component start) (wanting component) first) in
  cycle ++ way_to (arrival start cycle) [start] (Some component).
Definition fair_lasso (kind : fairness) (component : list nat) : list edge * list edge :=
  let entry := way_to 0 component None in (entry, fair_cycle kind component (arrival 0 entry)).

Definition fair (kind : fairness) (r : run) (p : nat) :=
  match kind with weak => weakly_fair able r p | strong => strongly_fair able r p end.

Hypothesis graph : is_graph size edges able accepting processes.
Hypothesis explored : is_explored size edges.

Lemma edges_fit : forall s e, In e (edges s) -> source e = s /\ target e < size.
Proof. apply graph. Qed.
Local Notation inner_is := (decomposing.inner_is size edges edges_fit).

Lemma starved_is : forall kind component p, In p (starved kind component) <->
  (exists s, In s component /\ In p (able_in s))
  /\ forall e, In e (inner component) -> treats_fairly kind p e = false.
Proof.
  intros kind component p. unfold starved, wanting. rewrite filter_In, nodup_In, in_flat_map, negb_true_iff.
  split; intros [can never]; split; auto.
  - intros e inside. destruct (treats_fairly kind p e) eqn:is; [|reflexivity]. rewrite <- never. symmetry.
    apply existsb_exists. eauto.
  - destruct (existsb _ _) eqn:is; [|reflexivity]. apply existsb_exists in is. destruct is as (e & inside & is).
    rewrite never in is; auto.
Qed.

(* A fair run shows that nobody is starved who can move where it is again and again. *)
Section Run.
Variable kind : fairness.
Variable r : run.
Hypothesis runs : is_run edges r.
Hypothesis accepted : often (accepts accepting) r.
Hypothesis is_fair : forall p, fair kind r p.

Lemma inner_at_last : forall component, covers r component -> exists n, forall i, n <= i -> In (r i) (inner component).
Proof.
  intros component all. destruct (settles _ _ _ _ _ graph r runs) as [n settled]. exists n. intros i le. apply inner_is.
  destruct runs as [_ goes]. destruct (goes i) as [there leads]. rewrite leads.
  split; [exact there|]. split; apply all, settled; lia.
Qed.

Lemma covers_accepting : forall component, covers r component -> existsb accepting component = true.
Proof.
  intros component all. destruct (inner_at_last component all) as [n inside].
  destruct (accepted n) as (i & le & here). apply existsb_exists. exists (source (r i)). split; [|exact here].
  apply (inner_is component (r i)), inside, le.
Qed.

(* Proof of everafter.product.fairness._starved. *)
Theorem starved_is_unable : forall component p, covers r component -> In p (starved kind component) ->
  kind = strong /\ forall s, for_ever r s -> ~ In p (able_in s).
Proof.
  intros component p all hungry. apply starved_is in hungry. destruct hungry as [_ never].
  destruct (inner_at_last component all) as [n inside].
  assert (rests : ~ often (moves p) r).
  { intros again. destruct (again n) as (i & le & here). specialize (never _ (inside i le)).
    unfold treats_fairly in never.
    apply orb_false_iff in never. destruct never as [never _]. apply has_false in never. auto. }
  pose proof (is_fair p) as fair_. destruct kind; simpl in fair_.
  - destruct rests. apply fair_.
    + intros k. destruct (accepted (max n k)) as (i & le & here). exists i. split; [lia|].
      specialize (never _ (inside i ltac:(lia))). unfold treats_fairly in never. apply orb_false_iff in never.
      destruct never as [_ never]. destruct graph as (_ & _ & _ & outside). specialize (outside _ here).
      destruct (able (source (r i))) as [who|] eqn:is; [|congruence]. apply negb_false_iff, has_true in never.
      exists who. auto.
    + exists n. intros i le (who & is & unable). specialize (never _ (inside i le)). unfold treats_fairly in never.
      rewrite is in never. apply orb_false_iff in never. destruct never as [_ never].
      apply negb_false_iff, has_true in never. auto.
  - split; [reflexivity|]. intros s again can. apply rests, fair_. intros k.
    destruct (again k) as (i & le & here). exists i. split; [exact le|]. unfold can_move. rewrite here.
    unfold able_in in can. destruct (able s) as [who|]; [eauto | destruct can].
Qed.

End Run.

(* Where nobody is starved there is a fair run. *)
Lemma arrival_is : forall way a b, walk edges a way b -> arrival a way = b.
Proof.
  intros way a b goes. unfold arrival. destruct (rev way) as [|e rest] eqn:is.
  - apply (f_equal (@rev edge)) in is. rewrite rev_involutive in is. subst. exact goes.
  - apply (f_equal (@rev edge)) in is. rewrite rev_involutive in is. simpl in is. subst. revert a goes.
    induction (rev rest) as [|d before IH]; intros a goes; simpl in goes; [apply goes|]. apply (IH (target d)), goes.
Qed.

Lemma path_inside : forall part a b targets, is_connected part -> In a part -> In b part -> In b targets ->
  exists c, inside_walk part a (way_to a targets (Some part)) c /\ In c targets.
Proof.
  intros part a b targets connected first last wanted. destruct (connected a b first last) as (way & [goes stays_] & _).
  destruct (path_is_found size edges targets (Some part) edges_fit a) as (c & walks & kept & there).
  - exists way, b. split; [exact goes|]. split; [|exact wanted]. intros e inside. apply has_true, stays_, inside.
  - exists c. split; [|exact there]. split; [exact walks|]. intros e inside. apply has_true, kept, inside.
Qed.

Lemma ends_inside : forall part a way b, inside_walk part a way b -> In a part -> In b part.
Proof.
  intros part a way b [goes stays_]. revert a goes.
  induction way as [|e way IH]; intros a goes first; simpl in goes; [subst; auto|].
  apply (IH ltac:(intros d there; apply stays_; right; exact there) (target e)); [apply goes|]. apply stays_. left.
  reflexivity.
Qed.

Lemma walk_edges : forall part a way b, inside_walk part a way b -> In a part -> forall e, In e way ->
  In e (inner part).
Proof.
  intros part a way b [goes stays_]. revert a goes.
  induction way as [|d way IH]; intros a goes first e there; [destruct there|].
  simpl in goes. destruct goes as (begins & inside & goes).
  assert (next : In (target d) part) by (apply stays_; left; reflexivity).
  destruct there as [<-|later].
  - apply inner_is. rewrite begins. auto.
  - apply (IH ltac:(intros c there; apply stays_; right; exact there) (target d)); auto.
Qed.

Lemma with_fair_edge_walks : forall kind part start p cycle b, is_connected part -> In start part ->
  inside_walk part start cycle b -> (exists e, In e (inner part) /\ treats_fairly kind p e = true) ->
  exists c more e, with_fair_edge kind part start cycle p = cycle ++ more /\ inside_walk part start (cycle ++ more) c
    /\ In e more /\ treats_fairly kind p e = true.
Proof.
  intros kind part start p cycle b connected first goes (e & inside & treats). unfold with_fair_edge.
  destruct (find (treats_fairly kind p) (inner part)) as [fair_|] eqn:is.
  - apply find_some in is. destruct is as [within fairly]. apply inner_is in within.
    destruct within as (there & from & to).
    rewrite (arrival_is _ _ _ (proj1 goes)).
    destruct (path_inside part b (source fair_) [source fair_] connected) as (c & way & [<-|[]]);
      [eapply ends_inside; eauto | exact from | left; reflexivity|].
    exists (target fair_), (way_to b [source fair_] (Some part) ++ [fair_]), fair_. split; [reflexivity|]. split.
    + eapply inside_app; [exact goes|]. eapply inside_app; [exact way|]. split; [simpl; auto|].
      intros d [<-|[]]. exact to.
    + split; [apply in_or_app; right; left; reflexivity | exact fairly].
  - pose proof (find_none _ _ is _ inside). congruence.
Qed.

Lemma all_fair_edges : forall kind part start, is_connected part -> In start part -> forall hungry cycle b,
  inside_walk part start cycle b ->
  (forall p, In p hungry -> exists e, In e (inner part) /\ treats_fairly kind p e = true) ->
  exists c more, fold_left (with_fair_edge kind part start) hungry cycle = cycle ++ more
    /\ inside_walk part start (cycle ++ more) c
    /\ forall p, In p hungry -> exists e, In e more /\ treats_fairly kind p e = true.
Proof.
  intros kind part start connected first hungry. induction hungry as [|p hungry IH]; intros cycle b goes all; simpl.
  - exists b, []. rewrite app_nil_r. split; [reflexivity|]. split; [exact goes | intros p []].
  - destruct (with_fair_edge_walks kind part start p cycle b connected first goes)
      as (c & more & e & is & goes' & there & fairly);
      [apply all; left; reflexivity|].
    destruct (IH (cycle ++ more) c goes') as (d & rest & is' & goes'' & all'); [intros q later; apply all; right;
      exact later|].
    exists d, (more ++ rest). rewrite is, is', <- app_assoc in *. split; [reflexivity|]. split; [exact goes''|].
    intros q [<-|later].
    + exists e. rewrite in_app_iff. auto.
    + destruct (all' q later) as (x & inside & treats). exists x. rewrite in_app_iff. auto.
Qed.

(* A state where a walk round a cycle comes by is left by an edge of the cycle. *)
Lemma is_left : forall way more a b, walk edges a way b -> walk edges b more a -> way ++ more <> [] ->
  exists e, In e (way ++ more) /\ source e = b.
Proof.
  intros way [|e more] a b first second some.
  - simpl in second. subst b. rewrite app_nil_r in *. destruct way as [|e way]; [congruence|].
    exists e. split; [left; reflexivity | apply first].
  - exists e. split; [apply in_or_app; right; left; reflexivity | apply second].
Qed.

Lemma fair_cycle_is : forall kind part start, is_connected part -> In start part -> existsb accepting part = true ->
  starved kind part = [] ->
  let cycle := fair_cycle kind part start in
  inside_walk part start cycle start /\ cycle <> [] /\ (exists e, In e cycle /\ accepts accepting e)
  /\ forall p, In p (wanting part) -> exists e, In e cycle /\ treats_fairly kind p e = true.
Proof.
  intros kind part start connected first accepts_ nobody_ cycle.
  apply existsb_exists in accepts_. destruct accepts_ as (a & within & is).
  destruct (path_inside part start a (filter accepting part) connected) as (b & goes & wanted); auto;
    [apply filter_In; auto|]. apply filter_In in wanted. destruct wanted as [there accepted].
  assert (everybody : forall p, In p (wanting part) -> exists e, In e (inner part) /\ treats_fairly kind p e = true).
  { intros p wants. apply NNPP. intros none. assert (hungry : In p (starved kind part)).
    { apply starved_is. unfold wanting in wants. rewrite nodup_In, in_flat_map in wants. split; [exact wants|].
      intros e inside. destruct (treats_fairly kind p e) eqn:treats; [|reflexivity]. destruct none. eauto. }
    rewrite nobody_ in hungry. destruct hungry. }
  destruct (all_fair_edges kind part start connected first (wanting part) _ b goes everybody)
    as (c & more & same & walks & all).
  assert (longer : exists d last, some_edge part start (way_to start (filter accepting part) (Some part) ++ more)
      = way_to start (filter accepting part) (Some part) ++ more ++ last
      /\ inside_walk part start (way_to start (filter accepting part) (Some part) ++ more ++ last) d
      /\ way_to start (filter accepting part) (Some part) ++ more ++ last <> []).
  { destruct (way_to start (filter accepting part) (Some part) ++ more) as [|e rest] eqn:empty.
    - apply app_eq_nil in empty. destruct empty as [empty ->]. rewrite empty. simpl.
      destruct (connected start start first first) as ([|e way] & [turn stays_] & some); [congruence|].
      simpl in turn. destruct (find _ (edges start)) as [d|] eqn:found_.
      + apply find_some in found_. destruct found_ as [inside leads]. apply has_true in leads.
        exists (target d), [d]. split; [reflexivity|]. split; [|discriminate]. destruct graph as (_ & fits & _). split.
        * simpl. split; [apply (fits _ _ inside)|]. auto.
        * intros x [<-|[]]. exact leads.
      + pose proof (find_none _ _ found_ e ltac:(apply turn)) as no. simpl in no. apply has_false in no.
        destruct no. apply stays_. left. reflexivity.
    - exists c, []. rewrite app_nil_r, empty. split; [reflexivity|]. split; [exact walks | discriminate]. }
  destruct longer as (d & last & is_longer & goes_longer & some).
  destruct (path_inside part d start [start] connected) as (home & back & [<-|[]]); auto;
    [eapply ends_inside; eauto | left; reflexivity|].
  assert (whole : cycle = way_to start (filter accepting part) (Some part) ++ more ++ last
    ++ way_to d [start] (Some part)).
  { unfold cycle, fair_cycle. rewrite same, is_longer, (arrival_is _ _ _ (proj1 goes_longer)), <- !app_assoc.
    reflexivity. }
  assert (turns : inside_walk part start cycle start).
  { rewrite whole. replace (_ ++ more ++ last ++ way_to d [start] (Some part))
      with ((way_to start (filter accepting part) (Some part) ++ more ++ last) ++ way_to d [start] (Some part))
      by (rewrite <- !app_assoc; reflexivity).
    eapply inside_app; eauto. }
  assert (nonempty : cycle <> []).
  { rewrite whole. intros none. apply some. apply app_eq_nil in none. destruct none as [-> none].
    apply app_eq_nil in none. destruct none as [-> none]. apply app_eq_nil in none. destruct none as [-> _].
    reflexivity. }
  split; [exact turns|]. split; [exact nonempty|]. split.
  - assert (rest : walk edges b (more ++ last ++ way_to d [start] (Some part)) start).
    { destruct turns as [turns _]. rewrite whole in turns. apply walk_split in turns.
      destruct turns as (x & before & after).
      pose proof (arrival_is _ _ _ before) as one. pose proof (arrival_is _ _ _ (proj1 goes)) as two. congruence. }
    destruct (is_left _ _ _ _ (proj1 goes) rest) as (e & inside & from); [rewrite <- whole; exact nonempty|].
    exists e. rewrite whole. split; [exact inside|]. unfold accepts. rewrite from. exact accepted.
  - intros p wants. destruct (all p wants) as (e & inside & treats). exists e. split; [|exact treats].
    rewrite whole, !in_app_iff. auto.
Qed.

(* Proof of everafter.product.fairness._run. *)
Theorem lasso_is_fair : forall kind component, is_connected component -> incl component (seq 0 size) ->
  existsb accepting component = true -> starved kind component = [] ->
  let (entry, cycle) := fair_lasso kind component in
  is_lasso edges entry cycle /\ is_run edges (round entry cycle) /\ often (accepts accepting) (round entry cycle)
  /\ forall p, fair kind (round entry cycle) p.
Proof.
  intros kind component connected fits accepts_ nobody_. destruct (fair_lasso kind component) as [entry cycle] eqn:same.
  injection same as same_entry same_cycle.
  assert (enters : exists s, walk edges 0 entry s /\ In s component).
  { apply existsb_exists in accepts_. destruct accepts_ as (a & there & _).
    destruct (explored a) as (way & goes); [pose proof (fits a there) as below; apply in_seq in below; lia|].
    destruct (path_is_found size edges component None edges_fit 0) as (s & walks & _ & inside).
    - exists way, a. split; [exact goes|]. split; [intros e _; reflexivity | exact there].
    - exists s. subst. auto. }
  destruct enters as (s & enters & there).
  pose proof (fair_cycle_is kind component s connected there accepts_ nobody_) as round_.
  rewrite same_entry, (arrival_is _ _ _ enters) in same_cycle. rewrite same_cycle in round_.
  destruct round_ as ([turns stays_] & some & accepted & fairly).
  assert (lasso : is_lasso edges entry cycle) by (split; eauto).
  split; [exact lasso|]. split; [exact (round_is_run _ _ _ lasso)|]. split; [apply often_round; auto|].
  intros p.
  assert (treated : often (can_move able p) (round entry cycle) ->
    exists e, In e cycle /\ treats_fairly kind p e = true).
  { intros can. apply often_round in can; [|exact some]. destruct can as (e & inside & who & is & wants). apply fairly.
    unfold wanting. rewrite nodup_In, in_flat_map. exists (source e). split.
    - pose proof (walk_edges component s cycle s (conj turns stays_) there e inside) as within.
      apply inner_is in within. apply within.
    - unfold able_in. rewrite is. exact wants. }
  unfold treats_fairly in treated. destruct kind; simpl.
  - intros can (n & never). destruct (treated can) as (e & inside & treats). apply often_round; [exact some|]. exists e.
    split; [exact inside|]. apply orb_true_iff in treats. destruct treats as [treats|unable]; [apply has_true, treats|].
    destruct (able (source e)) as [who|] eqn:is; [|discriminate]. apply negb_true_iff, has_false in unable.
    assert (again : often (cannot_move able p) (round entry cycle)).
    { apply often_round; [exact some|]. exists e. split; [exact inside|]. exists who. auto. }
    destruct (again n) as (i & le & here). destruct (never i le here).
  - intros can. destruct (treated can) as (e & inside & treats). apply often_round; [exact some|]. exists e.
    split; [exact inside|]. rewrite orb_false_r in treats. apply has_true, treats.
Qed.

End Component.
