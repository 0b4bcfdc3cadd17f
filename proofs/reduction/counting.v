(* Loops that count are on no cycle of states.

   This is src/everafter/reduction/counting_loops.py. A local variable holds one of finitely many numbers; what goes beyond
   the last comes round to the first. In a part of a control-flow graph some edges add one to it (or all of them take
   one away), no others write it, and between two of these steps something is asked of it which one value does not
   satisfy: always the same one, or that of a variable which nobody writes there. Then no walk of the process through
   its places and local variables takes such a step and comes back to where it was: the variable would have to pass
   that value. Parts may be looked at in rounds: what is shown to be on no such walk is left out of the next. *)
(* Proves: counting_is_on_no_cycle, rounds_are_on_no_cycle, turns_go_round *)
(* Assumes: nothing *)
From Coq Require Import Arith Lia List Bool ZArith.
From everafter.reduction Require Import channels programs cycles ample waivers.
Import ListNotations.

Section Counting.
Variable t : text.
Variable wide : nat.
Variables least many : Z.
Hypothesis some_values : (0 < many)%Z.
Definition wrapped (z : Z) : Z := (least + (z - least) mod many)%Z.

Notation walks_there := (walks (source_of t) (target_of t)).

Record counts (part : list nat) (v : nat) (by_one : Z) (counting asking : nat -> bool)
    (excluded : store -> Z) : Prop := {
  one_up_or_down : by_one = 1%Z \/ by_one = (-1)%Z;
  counted : forall i e x l g, In i part -> nth_error t i = Some e -> counting i = true -> length l = wide ->
    read (fst (effect e x l g)) v = wrapped (read l v + by_one);
  left_alone : forall i e x l g, In i part -> nth_error t i = Some e -> counting i = false ->
    read (fst (effect e x l g)) v = read l v;
  excluded_inside : forall l, (least <= excluded l < least + many)%Z;
  excluded_stays : forall i e x l g, In i part -> nth_error t i = Some e ->
    excluded (fst (effect e x l g)) = excluded l;
  asked : forall i e l g, In i part -> nth_error t i = Some e -> asking i = true -> guard e l g = true ->
    read l v <> excluded l;
  asked_between : forall i calm k, counting i = true -> counting k = true -> In i part -> In k part ->
    incl calm part -> walks_there (target_of t i) calm (source_of t k) -> exists j, In j calm /\ asking j = true }.

Lemma local_walk_walks : forall walk a b, local_walk t wide a walk b -> walks_there (fst a) walk (fst b).
Proof.
  induction walk as [|i walk IH]; intros a b W; simpl in *; [congruence|].
  destruct W as (c & (e & x & g & E & here & _ & _ & ->) & W). unfold source_of, target_of. rewrite E. split; auto.
  apply IH in W. exact W.
Qed.

Lemma local_walk_with : forall one two a b, local_walk t wide a (one ++ two) b <->
  exists c, local_walk t wide a one c /\ local_walk t wide c two b.
Proof.
  induction one as [|i one IH]; intros two a b; simpl.
  - split; [intros W; exists a; auto | intros (c & -> & W); auto].
  - split.
    + intros (d & S & W). apply IH in W as (c & A & B). exists c. split; eauto.
    + intros (c & (d & S & A) & B). exists d. split; auto. apply IH. eauto.
Qed.

Lemma wrapped_inside : forall z, (least <= wrapped z < least + many)%Z.
Proof. intros z. unfold wrapped. pose proof (Z.mod_pos_bound (z - least) many some_values). lia. Qed.

Lemma wrapped_again : forall z d, wrapped (wrapped z + d) = wrapped (z + d).
Proof.
  intros z d. unfold wrapped. f_equal.
  replace (least + (z - least) mod many + d - least)%Z with ((z - least) mod many + d)%Z by lia.
  rewrite Zplus_mod_idemp_l. f_equal. lia.
Qed.

Section Part.
Variables (part : list nat) (v : nat) (by_one : Z) (counting asking : nat -> bool) (excluded : store -> Z).
Hypothesis C : counts part v by_one counting asking excluded.

(* Between two steps of counting: nothing happens to the variable, and it does not have the value. *)
Lemma calm_walk : forall calm a b, local_walk t wide a calm b -> incl calm part ->
  (forall i, In i calm -> counting i = false) ->
  read (snd b) v = read (snd a) v /\ excluded (snd b) = excluded (snd a) /\
  ((exists j, In j calm /\ asking j = true) -> read (snd a) v <> excluded (snd a)).
Proof.
  induction calm as [|i calm IH]; intros a b W sub none; cbn [local_walk] in W.
  - subst. split; auto. split; auto. intros (j & [] & _).
  - destruct W as (c & (e & x & g & E & here & fit & open & ->) & W).
    assert (I : In i part) by (apply sub; simpl; auto).
    destruct (IH _ _ W) as (same & stays & asked_later).
    { intros j J. apply sub. simpl. auto. }
    { intros j J. apply none. simpl. auto. }
    pose proof (left_alone _ _ _ _ _ _ C i e x (snd a) g I E (none i (or_introl eq_refl))) as L.
    pose proof (excluded_stays _ _ _ _ _ _ C i e x (snd a) g I E) as X. simpl in *.
    rewrite same, stays, L, X. split; auto. split; auto. intros (j & [<-|J] & A).
    + apply (asked _ _ _ _ _ _ C i e (snd a) g I E A open).
    + rewrite <- L, <- X. eauto.
Qed.

Definition number (walk : list nat) : Z := Z.of_nat (length (filter counting walk)).

Lemma first_counting : forall walk, (forall i, In i walk -> counting i = false) \/
  exists calm k others, walk = calm ++ k :: others /\ counting k = true /\ forall i, In i calm -> counting i = false.
Proof.
  induction walk as [|i walk IH]; [left; simpl; tauto|]. destruct (counting i) eqn:K.
  - right. exists [], i, walk. split; auto. split; auto. intros j [].
  - destruct IH as [none|(calm & k & others & -> & yes & none)].
    + left. intros j [<-|J]; auto.
    + right. exists (i :: calm), k, others. split; auto. split; auto. intros j [<-|J]; auto.
Qed.

Lemma number_calm : forall calm, (forall i, In i calm -> counting i = false) -> filter counting calm = [].
Proof.
  induction calm as [|i calm IH]; intros none; simpl; auto. rewrite (none i) by (simpl; auto). apply IH.
  intros j J. apply none. simpl. auto.
Qed.

(* After a step of counting: each value that the variable has on the walk is asked for before it is counted on. *)
Lemma values_are_asked : forall size rest last a b next, length rest <= size -> counting last = true -> In last part ->
  target_of t last = fst a -> counting next = true -> In next part -> source_of t next = fst b ->
  local_walk t wide a rest b -> incl rest part -> wrapped (read (snd a) v) = read (snd a) v ->
  excluded (snd b) = excluded (snd a) /\ read (snd b) v = wrapped (read (snd a) v + number rest * by_one) /\
  forall m, (0 <= m <= number rest)%Z -> wrapped (read (snd a) v + m * by_one) <> excluded (snd a).
Proof.
  induction size as [|size IH]; intros rest last a b next less L Lin Lto N Nin Nfrom W sub inside;
    destruct (first_counting rest) as [none|(calm & k & others & -> & yes & none)];
    try (rewrite app_length in less; simpl in less; lia).
  1, 2: destruct (calm_walk rest a b W sub none) as (same & stays & ask); unfold number; rewrite number_calm by auto;
    simpl; rewrite same, Z.add_0_r, inside; split; auto; split; auto; intros m M; replace m with 0%Z by lia;
    rewrite Z.add_0_r, inside; apply ask; apply (asked_between _ _ _ _ _ _ C last rest next); auto;
    apply local_walk_walks in W; rewrite Lto, Nfrom; auto.
  assert (Kin : In k part) by (apply sub, in_or_app; simpl; auto).
  apply local_walk_with in W as (c & W1 & W2). cbn [local_walk] in W2.
  destruct W2 as (d & (e & x & g & E & here & fit & open & ->) & W2).
  destruct (calm_walk calm a c W1) as (same & stays & ask); auto.
  { intros j J. apply sub, in_or_app. auto. }
  pose proof (counted _ _ _ _ _ _ C k e x (snd c) g Kin E yes fit) as up.
  pose proof (excluded_stays _ _ _ _ _ _ C k e x (snd c) g Kin E) as X.
  destruct (IH others k (to e, fst (effect e x (snd c) g)) b next) as (X' & V' & A'); auto.
  { rewrite app_length in less. simpl in less. lia. }
  { unfold target_of. rewrite E. auto. }
  { intros j J. apply sub, in_or_app. simpl. auto. }
  { cbn [snd]. rewrite up. unfold wrapped. replace (least + (read (snd c) v + by_one - least) mod many - least)%Z
      with ((read (snd c) v + by_one - least) mod many)%Z by lia. rewrite Zmod_mod. reflexivity. }
  cbn [snd] in *. assert (count : number (calm ++ k :: others) = (1 + number others)%Z).
  { unfold number. rewrite filter_app, number_calm by auto. cbn [app filter]. rewrite yes. cbn [length]. lia. }
  split; [congruence|]. split.
  - rewrite V', up, wrapped_again, same, count. f_equal. lia.
  - intros m M. destruct (Z.eq_dec m 0) as [->|more].
    + rewrite Z.add_0_r, inside. apply ask.
      apply (asked_between _ _ _ _ _ _ C last calm k); auto.
      * intros j J. apply sub, in_or_app. auto.
      * apply local_walk_walks in W1. rewrite Lto. unfold source_of. rewrite E, here. exact W1.
    + specialize (A' (m - 1)%Z ltac:(lia)). rewrite up, wrapped_again, same, X, stays in A'.
      replace (read (snd a) v + by_one + (m - 1) * by_one)%Z with (read (snd a) v + m * by_one)%Z in A' by lia.
      exact A'.
Qed.

Theorem counting_is_on_no_cycle : forall a walk i, local_walk t wide a walk a -> incl walk part -> In i walk ->
  counting i = false.
Proof.
  intros a walk i W sub inside. destruct (counting i) eqn:K; auto. exfalso.
  apply in_split in inside as (before & behind & ->). apply local_walk_with in W as (c & W1 & W2).
  cbn [local_walk] in W2. destruct W2 as (d & (e & x & g & E & here & fit & open & D) & W2).
  assert (Kin : In i part) by (apply sub, in_or_app; simpl; auto).
  assert (rest : local_walk t wide d (behind ++ before) c) by (apply local_walk_with; eauto).
  pose proof (counted _ _ _ _ _ _ C i e x (snd c) g Kin E K fit) as up.
  assert (V : read (snd d) v = wrapped (read (snd c) v + by_one)).
  { subst d. exact up. }
  destruct (values_are_asked (length (behind ++ before)) (behind ++ before) i d c i) as (_ & back & never); auto.
  { subst d. unfold target_of. rewrite E. reflexivity. }
  { unfold source_of. rewrite E. auto. }
  { intros j J. apply sub, in_or_app. apply in_app_or in J as [J|J]; simpl; auto. }
  { rewrite V. unfold wrapped. replace (least + (read (snd c) v + by_one - least) mod many - least)%Z
      with ((read (snd c) v + by_one - least) mod many)%Z by lia. rewrite Zmod_mod. reflexivity. }
  set (n := number (behind ++ before)) in *. rewrite back, wrapped_again in V.
  set (z := read (snd d) v) in *. set (q := excluded (snd d)) in *.
  pose proof (excluded_inside _ _ _ _ _ _ C (snd d)) as Q. fold q in Q.
  assert (Z0 : (least <= z < least + many)%Z) by (rewrite V; apply wrapped_inside).
  assert (N0 : (0 <= n)%Z) by (unfold n, number; lia).
  (* the walk counts a multiple of all values *)
  assert (round : ((n + 1) mod many = 0)%Z).
  { unfold wrapped in V.
    replace (z + n * by_one + by_one - least)%Z with ((z - least) + (n + 1) * by_one)%Z in V by lia.
    pose proof (Z.div_mod ((z - least) + (n + 1) * by_one) many ltac:(lia)) as D1.
    assert (D2 : ((n + 1) * by_one = many * (((z - least) + (n + 1) * by_one) / many))%Z) by lia.
    set (k := (((z - least) + (n + 1) * by_one) / many)%Z) in *.
    destruct (one_up_or_down _ _ _ _ _ _ C) as [->| ->].
    - replace (n + 1)%Z with (k * many)%Z by lia. apply Z_mod_mult.
    - replace (n + 1)%Z with (- k * many)%Z by lia. apply Z_mod_mult. }
  assert (all : (many <= n + 1)%Z).
  { destruct (Z_lt_ge_dec (n + 1) many); [rewrite Z.mod_small in round by lia; lia | lia]. }
  set (m := (((q - z) * by_one) mod many)%Z). pose proof (Z.mod_pos_bound ((q - z) * by_one) many some_values) as M.
  apply (never m); [fold m in M; lia|]. unfold wrapped.
  assert (M2 : ((z + m * by_one - least) mod many = (q - least) mod many)%Z).
  { pose proof (Z.div_mod ((q - z) * by_one) many ltac:(lia)) as parts. fold m in parts.
    set (k := ((q - z) * by_one / many)%Z) in *. destruct (one_up_or_down _ _ _ _ _ _ C) as [E1|E1]; rewrite E1 in *.
    - replace (z + m * 1 - least)%Z with ((q - least) + (- k) * many)%Z by lia. apply Z_mod_plus_full.
    - replace (z + m * -1 - least)%Z with ((q - least) + k * many)%Z by lia. apply Z_mod_plus_full. }
  rewrite M2, Z.mod_small by lia. lia.
Qed.
End Part.
End Counting.

Lemma local_walk_inside : forall t wide walk a b, local_walk t wide a walk b -> incl walk (seq 0 (length t)).
Proof.
  intros t wide. induction walk as [|i walk IH]; intros a b W j J; [destruct J|].
  destruct W as (c & (e & x & g & E & _) & W). destruct J as [<-|J]; [|eapply IH; eauto].
  apply in_seq. assert (i < length t) by (apply nth_error_Some; congruence). lia.
Qed.

(* In rounds: a part has all closed walks through what counts in it, but for those that are ruled out already. *)
Inductive rounds (t : text) (wide : nat) : list nat -> Prop :=
| no_round : rounds t wide []
| one_more : forall old part least many v by_one counting asking excluded, rounds t wide old -> (0 < many)%Z ->
    counts t wide least many part v by_one counting asking excluded ->
    (forall a walk i, incl walk (seq 0 (length t)) -> walks (source_of t) (target_of t) a walk a ->
      (forall j, In j walk -> ~ In j old) -> In i walk -> In i part -> counting i = true -> incl walk part) ->
    rounds t wide (filter counting part ++ old).

(* Proof of everafter.reduction.counting_loops.counting_edges *)
Theorem rounds_are_on_no_cycle : forall t wide out, rounds t wide out ->
  forall a walk i, local_walk t wide a walk a -> In i out -> ~ In i walk.
Proof.
  intros t wide out R. induction R as [|old part least many v by_one counting asking excluded R IH some C component];
    intros a walk i W inside on; [destruct inside|].
  apply in_app_or in inside as [new|before]; [|exact (IH a walk i W before on)].
  apply filter_In in new as [new yes].
  assert (no : counting i = false); [|congruence].
  apply (counting_is_on_no_cycle t wide least many some part v by_one counting asking excluded C a walk); auto.
  apply (component (fst a) walk i); auto;
    [apply (local_walk_inside t wide walk a a); auto | apply (local_walk_walks t wide); auto |].
  intros j on_it known. exact (IH a walk j W known on_it).
Qed.

(* One value for all guards: a bit that is asked for 0 and for 1 in turn, and counted each time, goes round. *)
Definition bit_up (l : store) : store := [wrapped 0 2 (nth 0 l 0%Z + 1)].
Definition turns : text := [
  {| from := 0; to := 1; guard := fun l _ => Z.eqb (nth 0 l 0%Z) 0; uses := None;
     effect := fun _ l g => (l, g); reads := []; writes := [] |};
  {| from := 0; to := 1; guard := fun l _ => Z.eqb (nth 0 l 0%Z) 1; uses := None;
     effect := fun _ l g => (l, g); reads := []; writes := [] |};
  {| from := 1; to := 0; guard := fun _ _ => true; uses := None;
     effect := fun _ l g => (bit_up l, g); reads := []; writes := [] |} ].

Theorem turns_go_round : local_walk turns 1 (0, [0%Z]) [0; 2; 1; 2] (0, [0%Z]).
Proof.
  simpl. exists (1, [0%Z]). split; [eexists _, None, []; repeat split|].
  exists (0, [1%Z]). split; [eexists _, None, []; repeat split|].
  exists (1, [1%Z]). split; [eexists _, None, []; repeat split|].
  exists (0, [0%Z]). split; [eexists _, None, []; repeat split|]. reflexivity.
Qed.
