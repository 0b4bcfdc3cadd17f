(* Rendezvous and the start of processes, as steps of several parties.

   A deed is a step that some processes take together: each from its place to another, with its local variables, and all
   of them with the global ones. A statement by itself is a deed of one process. A rendezvous is one of two, sender and
   receiver. To start a process is one of two as well: of who starts it, and of one that has not begun and waits at a
   place of its own, where nobody but the deed that starts it lets it move. Processes are as many as there ever are.
   Deeds have lists of the global variables that they read and write, which must be complete; two without a common party
   conflict if one writes what the other reads or writes. Proved: deeds are lawful in the sense of reduction/parties.v,
   so that what is proved there of ample sets is so for them. Channels with buffers are not there, other than as
   variables. *)
(* Proves: deeds_are_lawful, deeds_satisfy_conditions, handshake_suffices, stranger_does_not *)
(* Assumes: classic (only deeds_satisfy_conditions, through reduction/parties.v) *)
From Coq Require Import Arith Lia List Bool ZArith.
From everafter.reduction Require Import channels programs conditions parties.
Import ListNotations.

Record deed := {
  leader : nat;
  partners : list nat;
  places : list nat;
  targets : list nat;
  open_to : list store -> store -> bool;
  outcome : list store -> store -> list store * store;
  sees_globals : list nat;
  sets_globals : list nat }.

Definition who (d : deed) : list nat := leader d :: partners d.
Arguments who d : simpl never.
Definition touched (d : deed) := sees_globals d ++ sets_globals d.

Record honest_deed (d : deed) : Prop := {
  open_reads : forall ls g h, length g = length h -> agree (touched d) g h -> open_to d ls g = open_to d ls h;
  outcome_keeps_size : forall ls g, length (snd (outcome d ls g)) = length g;
  outcome_writes : forall ls g v, ~ In v (sets_globals d) -> read (snd (outcome d ls g)) v = read g v;
  outcome_reads : forall ls g h, length g = length h -> agree (touched d) g h ->
    fst (outcome d ls g) = fst (outcome d ls h) /\
    agree (sets_globals d) (snd (outcome d ls g)) (snd (outcome d ls h)) }.

Record company := { shared : store; members : list (nat * store) }.

Definition member (s : company) (q : nat) : nat * store := nth q (members s) (0, []).
Definition locals_of (s : company) (d : deed) : list store := map (fun q => snd (member s q)) (who d).

Fixpoint put (ws ts : list nat) (ls : list store) (all : list (nat * store)) : list (nat * store) :=
  match ws, ts, ls with
  | q :: ws, t :: ts, l :: ls => put ws ts ls (update all q (t, l))
  | _, _, _ => all
  end.

Definition done (s : company) (d : deed) : company := {|
  shared := snd (outcome d (locals_of s d) (shared s));
  members := put (who d) (targets d) (fst (outcome d (locals_of s d) (shared s))) (members s) |}.

Section Deeds.
Variable program : list deed.
Hypothesis honest_program : forall d, In d program -> honest_deed d.

Definition possible (s : company) (d : deed) : Prop :=
  In d program /\ map (fun q => fst (member s q)) (who d) = places d /\ open_to d (locals_of s d) (shared s) = true.

Definition at_places (s : company) (d : deed) : Prop :=
  In d program /\ map (fun q => fst (member s q)) (who d) = places d.
Definition conflicting (a b : deed) : Prop :=
  disjoint (sets_globals a) (touched b) && disjoint (sets_globals b) (touched a) = false.

(* The places to which a process may come, by deeds of the program that it is a party of. *)
Inductive comes_to (q : nat) : nat -> nat -> Prop :=
| is_there : forall place, comes_to q place place
| comes_on : forall d k place target last, In d program -> nth_error (who d) k = Some q ->
    nth_error (places d) k = Some place -> nth_error (targets d) k = Some target -> comes_to q target last ->
    comes_to q place last.
Definition may_take_part (s : company) (q : nat) (d : deed) : Prop := In d program /\
  exists k place, nth_error (who d) k = Some q /\ nth_error (places d) k = Some place /\
    comes_to q (fst (member s q)) place.

Definition there (_ : company) (_ : nat) := True.

Lemma nth_update : forall A (all : list A) w q x d,
  nth q (update all w x) d = nth q all d \/ (w = q /\ nth q (update all w x) d = x).
Proof.
  induction all as [|a all IH]; intros [|w] [|q] x d; simpl; auto. destruct (IH w q x d) as [same|[-> new]]; auto.
Qed.

Lemma put_other : forall ws ts ls all q, ~ In q ws -> nth q (put ws ts ls all) (0, []) = nth q all (0, []).
Proof.
  induction ws as [|w ws IH]; intros [|t ts] [|l ls] all q away; simpl in *; auto. rewrite IH by tauto.
  destruct (nth_update _ all w q (t, l) (0, [])) as [same|[equal _]]; auto. exfalso. auto.
Qed.

(* Where a process is after a deed: where it was, or where the deed leads it. *)
Lemma put_places : forall ws ts ls all q, fst (nth q (put ws ts ls all) (0, [])) = fst (nth q all (0, [])) \/
  exists k, nth_error ws k = Some q /\ nth_error ts k = Some (fst (nth q (put ws ts ls all) (0, []))).
Proof.
  induction ws as [|w ws IH]; intros [|t ts] [|l ls] all q; simpl; auto.
  destruct (IH ts ls (update all w (t, l)) q) as [same|(k & K & T)]; [|right; exists (S k); auto].
  destruct (nth_update _ all w q (t, l) (0, [])) as [old|[-> new]]; [left; rewrite same, old; auto|].
  right. exists 0. rewrite same, new. auto.
Qed.

Lemma put_update : forall ws ts ls all q x, ~ In q ws -> put ws ts ls (update all q x) = update (put ws ts ls all) q x.
Proof.
  induction ws as [|w ws IH]; intros [|t ts] [|l ls] all q x away; simpl in *; auto.
  rewrite update_commutes by (intros ->; tauto). apply IH. tauto.
Qed.

Lemma put_commutes : forall ws ts ls vs us ms all, (forall q, In q ws -> ~ In q vs) ->
  put ws ts ls (put vs us ms all) = put vs us ms (put ws ts ls all).
Proof.
  induction ws as [|w ws IH]; intros [|t ts] [|l ls] vs us ms all apart; simpl; auto.
  rewrite <- put_update by (apply apart; simpl; auto). apply IH. intros q Q. apply apart. simpl. auto.
Qed.

(* What two deeds without a common party are to each other. *)
Lemma leaves_members : forall s b a, (forall q, In q (who a) -> ~ In q (who b)) ->
  forall q, In q (who a) -> member (done s b) q = member s q.
Proof. intros s b a apart q Q. unfold member, done. cbn [members]. apply put_other. auto. Qed.

Lemma leaves_locals : forall s b a, (forall q, In q (who a) -> ~ In q (who b)) ->
  locals_of (done s b) a = locals_of s a /\
  map (fun q => fst (member (done s b) q)) (who a) = map (fun q => fst (member s q)) (who a).
Proof.
  intros s b a apart. unfold locals_of. split; apply map_ext_in; intros q Q; rewrite (leaves_members s b a); auto.
Qed.

Lemma leaves_globals : forall s b a, honest_deed b -> ~ conflicting a b ->
  length (shared s) = length (shared (done s b)) /\ agree (touched a) (shared s) (shared (done s b)).
Proof.
  intros s b a B no. simpl. split; [symmetry; apply (outcome_keeps_size b B)|]. intros v V. symmetry.
  apply (outcome_writes b B). intros W. apply no. unfold conflicting.
  destruct (disjoint (sets_globals b) (touched a)) eqn:D; [|apply andb_false_r].
  exfalso. eapply disjoint_is; eauto.
Qed.

Lemma conflict_sym : forall a b, conflicting a b -> conflicting b a.
Proof. unfold conflicting. intros a b C. rewrite andb_comm. exact C. Qed.

Lemma possible_there : forall s b a, In a program -> honest_deed b -> ~ conflicting a b ->
  (forall q, In q (who a) -> ~ In q (who b)) -> (possible (done s b) a <-> possible s a).
Proof.
  intros s b a A B no apart. destruct (leaves_locals s b a apart) as [same at_place].
  destruct (leaves_globals s b a B no) as [long agrees]. unfold possible. rewrite same, at_place.
  rewrite <- (open_reads a (honest_program a A) (locals_of s a) _ _ long agrees). tauto.
Qed.

Lemma done_commute : forall s a b, honest_deed a -> honest_deed b -> ~ conflicting a b ->
  (forall q, In q (who a) -> ~ In q (who b)) -> done (done s a) b = done (done s b) a.
Proof.
  intros s a b A B no apart.
  assert (apart' : forall q, In q (who b) -> ~ In q (who a)) by (intros q Q P; exact (apart q P Q)).
  assert (no' : ~ conflicting b a) by (intros C; apply no, conflict_sym, C).
  destruct (leaves_locals s b a apart) as [same_a _]. destruct (leaves_locals s a b apart') as [same_b _].
  destruct (leaves_globals s b a B no) as [long_b agrees_b]. destruct (leaves_globals s a b A no') as [long_a agrees_a].
  destruct (outcome_reads a A (locals_of s a) _ _ long_b agrees_b) as [F1 W1].
  destruct (outcome_reads b B (locals_of s b) _ _ long_a agrees_a) as [F2 W2].
  assert (globals : shared (done (done s a) b) = shared (done (done s b) a)).
  { change (snd (outcome b (locals_of (done s a) b) (shared (done s a))) =
      snd (outcome a (locals_of (done s b) a) (shared (done s b)))). rewrite same_a, same_b.
    apply stores_equal; [rewrite (outcome_keeps_size a A), (outcome_keeps_size b B); congruence|]. intros v.
    destruct (in_dec Nat.eq_dec v (sets_globals b)) as [wb|nb].
    - rewrite <- (W2 v wb), (outcome_writes a A); auto. intros wa. apply no. unfold conflicting.
      destruct (disjoint (sets_globals a) (touched b)) eqn:D; auto. exfalso.
      eapply disjoint_is; eauto. unfold touched. apply in_or_app. auto.
    - rewrite (outcome_writes b B) by auto. destruct (in_dec Nat.eq_dec v (sets_globals a)) as [wa|na].
      + rewrite <- (W1 v wa). reflexivity.
      + rewrite (outcome_writes a A) by auto. simpl. rewrite (outcome_writes a A), (outcome_writes b B); auto. }
  unfold done at 1 3. f_equal; [exact globals|]. rewrite same_a, same_b, <- F1, <- F2. cbn [members done]. symmetry.
  apply put_commutes. auto.
Qed.

Theorem deeds_are_lawful : lawful company deed possible done there leader who may_take_part at_places conflicting.
Proof.
  split.
  - intros a. left. reflexivity.
  - intros s a q _ _. exact I.
  - intros s a q (A & at_place & _) Q. split; auto. apply In_nth_error in Q as (k & K). exists k, (fst (member s q)).
    split; auto. split; [|apply is_there]. rewrite <- at_place, nth_error_map, K. reflexivity.
  - intros s a q b (A & at_place & _) _ (B & k & place & K & N & way). left. split; [exact I|]. split; auto.
    exists k, place. split; auto. split; auto.
    destruct (put_places (who a) (targets a) (fst (outcome a (locals_of s a) (shared s))) (members s) q)
      as [same|(j & J & T)]; fold (member s q) in *.
    + unfold member, done in way. cbn [members] in way. rewrite same in way. exact way.
    + apply comes_on with (d := a) (k := j) (target := fst (member (done s a) q)); auto.
      rewrite <- at_place, nth_error_map, J. reflexivity.
  - intros s a (A & at_place & _). split; auto.
  - intros s a b _ apart. unfold at_places. destruct (leaves_locals s b a apart) as [_ same]. rewrite same. tauto.
  - intros s a b Eb no apart. pose proof (honest_program b (proj1 Eb)) as B. split.
    + split; intros Ea; pose proof Ea as (A & _); apply (possible_there s b a A B no apart); auto.
    + intros Ea. pose proof (honest_program a (proj1 Ea)) as A. split.
      * apply (possible_there s a b); auto; [apply Eb | | ].
        -- intros C. apply no, conflict_sym, C.
        -- intros q Q P. exact (apart q P Q).
      * apply done_commute; auto.
Qed.

(* The ample sets of parties.v, for deeds. *)
Variable letter : Type.
Variable label : company -> letter.
Definition deeds_suffice := suffices company deed possible there leader who may_take_part at_places conflicting.

Theorem deeds_satisfy_conditions : forall chosen,
  (forall s p still, chosen s = Some (p, still) -> deeds_suffice s p still) ->
  (forall s p still a t, chosen s = Some (p, still) -> taken company deed possible leader chosen s a ->
    possible t a -> label (done t a) = label t) ->
  forall initial,
  wellfounded_holds company deed initial possible done (taken company deed possible leader chosen) ->
  conditions company deed letter initial possible done label (taken company deed possible leader chosen).
Proof.
  intros chosen enough unseen.
  apply (parties_satisfy_conditions company deed letter possible done label there leader who may_take_part at_places
    conflicting
    deeds_are_lawful chosen enough unseen).
Qed.
End Deeds.

(* A sender and a receiver meet; a third process counts for itself. The meeting may be taken alone. *)
Section Shown.
Definition hands_over := {| leader := 0; partners := [1]; places := [0; 0]; targets := [1; 1];
  open_to := fun _ _ => true; outcome := fun ls g => match ls with [mine; _] => ([mine; mine], g) | _ => (ls, g) end;
  sees_globals := []; sets_globals := [] |}.
Definition counts := {| leader := 2; partners := []; places := [0]; targets := [0]; open_to := fun _ _ => true;
  outcome := fun ls g => (map (map (Z.add 1)) ls, g); sees_globals := []; sets_globals := [] |}.
Definition also_offers := {| leader := 2; partners := [1]; places := [0; 0]; targets := [1; 1];
  open_to := fun _ _ => true; outcome := fun ls g => match ls with [mine; _] => ([mine; mine], g) | _ => (ls, g) end;
  sees_globals := []; sets_globals := [] |}.
Definition three := {| shared := []; members := [(0, [7%Z]); (0, [0%Z]); (0, [0%Z])] |}.

Example message_is_handed_over : members (done three hands_over) = [(1, [7%Z]); (1, [7%Z]); (0, [0%Z])].
Proof. reflexivity. Qed.

Theorem handshake_suffices : deeds_suffice [hands_over; counts] three 0 [0; 1].
Proof.
  assert (only : forall a, outside company deed there (may_take_part [hands_over; counts]) three [0; 1] a ->
    a = counts).
  { intros a (q & _ & away & [<-|[<-|[]]] & k & place & K & _); auto. exfalso. apply away.
    destruct k as [|[|[|k]]]; unfold who in K; simpl in K; try discriminate; injection K as <-; simpl; auto. }
  split.
  - simpl. auto.
  - exists hands_over. split; auto. split; [simpl; auto|]. split; reflexivity.
  - intros a ([<-|[<-|[]]] & _) inside; auto. simpl in inside. lia.
  - intros a q out Q. rewrite (only a out) in Q. unfold who in Q. simpl in *. lia.
  - intros a b out _ _ ([<-|[<-|[]]] & _); rewrite (only a out); discriminate.
Qed.

(* If the third may meet the receiver as well, it must not: the message could be another. *)
Theorem stranger_does_not : forall still, In 0 still -> In 1 still -> ~ In 2 still ->
  ~ deeds_suffice [hands_over; also_offers] three 0 still.
Proof.
  intros still _ one two S.
  apply (nobody_comes _ _ _ _ _ _ _ _ _ _ _ _ S also_offers 1); [|right; left; reflexivity | exact one].
  exists 2. split; [exact I|]. split; auto. split; [simpl; auto|]. exists 0, 0. split; auto. split; auto.
  apply is_there.
Qed.
End Shown.
