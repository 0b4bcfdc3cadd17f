(* The automaton of a formula accepts exactly the words that satisfy it.

   This is the textbook automaton (Vardi and Wolper 1986; Baier and Katoen, section 5.2), as plain as can be, since it
   is meant for checking certificates, not for speed. A state is a guess: the list of those parts of the formula that
   are believed to hold from here on, not contradicting itself (an elementary set). A step over a letter is right if
   the guess before agrees with the letter and with the guess after, part by part. The formula itself is believed at
   the start. And every until that is believed must be kept: for each, there are for ever states in which it is not
   believed or its right side is. That is generalised Büchi acceptance. States, steps and acceptance are computed, and
   the states are finitely many.

   The formula is in the kernel (six operators, see ltl/formulas.v); the last theorem is about formulas with all
   operators. *)
(* Proves: automaton_accepts_models, automaton_of_formula, guesses_are_right *)
(* Assumes: classic (a formula holds or it does not), constructive_indefinite_description (one guess for each step) *)
From Coq Require Import Arith Lia List Bool Classical IndefiniteDescription.
From everafter.ltl Require Import words formulas.
Import ListNotations.

Section Automaton.
Variable proposition : Type.
Variable same_proposition : forall p q : proposition, {p = q} + {p <> q}.
Variable letter : Type.
Variable truth : letter -> proposition -> bool.

Definition same_kernel : forall f g : kernel proposition, {f = g} + {f <> g}.
Proof. decide equality. Defined.

Fixpoint parts (f : kernel proposition) : list (kernel proposition) :=
  f :: match f with
       | Top | Is _ => []
       | No a | Then a => parts a
       | Both a b | Till a b => parts a ++ parts b
       end.

Fixpoint sublists {A} (l : list A) : list (list A) :=
  match l with [] => [[]] | a :: others => map (cons a) (sublists others) ++ sublists others end.

Definition guess := list (kernel proposition).
Definition believes (g : guess) (f : kernel proposition) : bool := if in_dec same_kernel f g then true else false.

(* What a guess can be wrong about in itself; one that is right about all of that is called elementary. *)
Definition consistent_about (g : guess) (f : kernel proposition) : bool :=
  match f with
  | Top => believes g Top
  | No a => eqb (believes g f) (negb (believes g a))
  | Both a b => eqb (believes g f) (believes g a && believes g b)
  | Till a b => if believes g f then believes g b || believes g a else negb (believes g b)
  | Is _ | Then _ => true
  end.
Definition guesses (f : kernel proposition) : list guess :=
  filter (fun g => forallb (consistent_about g) (parts f)) (sublists (nodup same_kernel (parts f))).

Definition right_about (g : guess) (l : letter) (next : guess) (f : kernel proposition) : bool :=
  match f with
  | Top => believes g Top
  | Is p => eqb (believes g f) (truth l p)
  | No a => eqb (believes g f) (negb (believes g a))
  | Both a b => eqb (believes g f) (believes g a && believes g b)
  | Then a => eqb (believes g f) (believes next a)
  | Till a b => eqb (believes g f) (believes g b || (believes g a && believes next f))
  end.

Definition right_step (f : kernel proposition) (g : guess) (l : letter) (next : guess) : bool :=
  forallb (right_about g l next) (parts f).

(* The promises of a formula, and when one is kept. *)
Definition promises (f : kernel proposition) : list (kernel proposition) :=
  filter (fun part => match part with Till _ _ => true | _ => false end) (parts f).
Definition kept (g : guess) (promise : kernel proposition) : bool :=
  match promise with Till _ b => negb (believes g promise) || believes g b | _ => true end.

Definition guessed_run (f : kernel proposition) (w : word letter) (r : nat -> guess) :=
  believes (r 0) f = true /\ forall i, In (r i) (guesses f) /\ right_step f (r i) (w i) (r (S i)) = true.
Definition keeps_promises (f : kernel proposition) (r : nat -> guess) :=
  forall promise, In promise (promises f) -> forall i, exists j, i <= j /\ kept (r j) promise = true.
Definition accepted (f : kernel proposition) (w : word letter) :=
  exists r, guessed_run f w r /\ keeps_promises f r.

Lemma part_of_itself : forall f, In f (parts f).
Proof. destruct f; simpl; auto. Qed.

Lemma parts_of_parts : forall f g h, In g (parts f) -> In h (parts g) -> In h (parts f).
Proof.
  induction f; simpl; intros g h [<-|inside] H; auto; try contradiction.
  - right. eauto.
  - right. apply in_app_iff in inside as [inside|inside]; apply in_app_iff; eauto.
  - right. eauto.
  - right. apply in_app_iff in inside as [inside|inside]; apply in_app_iff; eauto.
Qed.

(* An operand of a part is a part. *)
Ltac operand inside := refine (parts_of_parts _ _ _ inside _); simpl; auto using in_or_app, part_of_itself.

Lemma believes_is_in : forall g f, believes g f = true <-> In f g.
Proof. intros g f. unfold believes. destruct (in_dec same_kernel f g); intuition discriminate. Qed.

Lemma equal_bools : forall a b, eqb a b = true -> (a = true <-> b = true).
Proof. intros a b E. apply eqb_prop in E. subst. tauto. Qed.

(* Guesses that fit together, with every promise kept, are right about every part. *)
Section Sound.
Variable f : kernel proposition.
Variable w : word letter.
Variable r : nat -> guess.
Hypothesis steps : forall i, right_step f (r i) (w i) (r (S i)) = true.
Hypothesis promises_kept : keeps_promises f r.

Lemma right_part : forall g i, In g (parts f) -> right_about (r i) (w i) (r (S i)) g = true.
Proof. intros g i inside. specialize (steps i). unfold right_step in steps. rewrite forallb_forall in steps. auto. Qed.

Lemma believed_till : forall a b i, In (Till a b) (parts f) ->
  (believes (r i) (Till a b) = true <->
   believes (r i) b = true \/ believes (r i) a = true /\ believes (r (S i)) (Till a b) = true).
Proof.
  intros a b i inside. pose proof (equal_bools _ _ (right_part _ i inside)) as right.
  rewrite right, orb_true_iff, andb_true_iff. tauto.
Qed.

Theorem guesses_are_right : forall g, In g (parts f) -> forall i, believes (r i) g = true <-> means truth w g i.
Proof.
  induction g as [|p|a IHa|a IHa b IHb|a IHa|a IHa b IHb]; intros inside i;
    pose proof (right_part _ i inside) as right; cbn [right_about] in right.
  - simpl. tauto.
  - apply (equal_bools _ _ right).
  - assert (A : In a (parts f)) by operand inside.
    rewrite (equal_bools _ _ right), negb_true_iff. cbn [means]. rewrite <- IHa by auto.
    destruct (believes (r i) a); intuition congruence.
  - assert (A : In a (parts f)) by operand inside.
    assert (B : In b (parts f)) by operand inside.
    rewrite (equal_bools _ _ right), andb_true_iff, IHa, IHb by auto. simpl. tauto.
  - assert (A : In a (parts f)) by operand inside.
    rewrite (equal_bools _ _ right), IHa by auto. simpl. tauto.
  - assert (A : In a (parts f)) by operand inside.
    assert (B : In b (parts f)) by operand inside.
    cbn [means]. split.
    + intros believed. destruct (promises_kept (Till a b)) with (i := i) as (j & le & keeps).
      { unfold promises. apply filter_In. auto. }
      cbn [kept] in keeps. apply orb_true_iff in keeps.
      assert (reach : forall d i, i + d = j -> believes (r i) (Till a b) = true ->
        until_from (means truth w a) (means truth w b) i).
      { clear i le right believed. induction d; intros i E believed.
        - replace j with i in keeps by lia.
          destruct keeps as [no|now]; [rewrite believed in no; discriminate|].
          exists i. split; auto. split; [apply IHb; auto | intros; lia].
        - apply believed_till in believed as [now|[first later]]; auto.
          + exists i. split; auto. split; [apply IHb; auto | intros; lia].
          + destruct (IHd (S i) ltac:(lia) later) as (k & after & Bk & before). exists k. split; [lia|]. split; auto.
            intros m low high. destruct (Nat.eq_dec m i) as [->|]; [apply IHa; auto | apply before; lia]. }
      apply (reach (j - i) i); [lia | auto].
    + intros (j & le & Bj & before). apply IHb in Bj; auto.
      assert (back : forall d i, i + d = j -> (forall k, i <= k -> k < j -> means truth w a k) ->
        believes (r i) (Till a b) = true).
      { clear i le right before. induction d; intros i E before; apply believed_till; auto.
        - left. replace i with j by lia. auto.
        - right. split; [apply IHa; auto; apply before; lia|]. apply IHd; [lia|]. intros; apply before; lia. }
      apply (back (j - i) i); [lia | auto].
Qed.
End Sound.

Lemma right_is_consistent : forall g l next f, right_about g l next f = true -> consistent_about g f = true.
Proof.
  intros g l next f right. destruct f as [|p|a|a b|a|a b]; cbn [right_about consistent_about] in *; auto.
  apply eqb_prop in right. destruct (believes g (Till a b)), (believes g a), (believes g b); auto.
Qed.

(* The parts that hold make a guess. *)
Lemma sublist_of_true : forall {A} (P : A -> Prop) l, exists part, In part (sublists l) /\
  forall a, In a part <-> In a l /\ P a.
Proof.
  intros A P. induction l as [|a l (part & listed & right)].
  - exists []. simpl. intuition.
  - destruct (classic (P a)) as [yes|no].
    + exists (a :: part). split; [simpl; apply in_or_app; left; apply in_map; auto|].
      intros b. simpl. rewrite right. split; [intros [<-|?]; tauto | tauto].
    + exists part. split; [simpl; apply in_or_app; auto|].
      intros b. simpl. rewrite right. split; [tauto | intros [[<-|?] ?]; tauto].
Qed.

Section Complete.
Variable f : kernel proposition.
Variable w : word letter.
Variable r : nat -> guess.
Hypothesis true_parts : forall i g, In g (r i) <-> In g (parts f) /\ means truth w g i.

Lemma believed_is_true : forall g i, In g (parts f) -> (believes (r i) g = true <-> means truth w g i).
Proof. intros g i inside. rewrite believes_is_in, true_parts. tauto. Qed.

Lemma equal_from : forall a b : bool, (a = true <-> b = true) -> eqb a b = true.
Proof. intros a b same. destruct a, b; simpl; intuition. Qed.

Lemma till_unfolds : forall a b i, means truth w (Till a b) i <->
  means truth w b i \/ means truth w a i /\ means truth w (Till a b) (S i).
Proof.
  intros a b i. simpl. split.
  - intros (j & le & Bj & before). destruct (Nat.eq_dec i j) as [->|different]; auto.
    right. split; [apply before; lia|]. exists j. split; [lia|]. split; auto. intros; apply before; lia.
  - intros [now|[first (j & le & Bj & before)]].
    + exists i. split; auto. split; auto. intros; lia.
    + exists j. split; [lia|]. split; auto. intros k low high.
      destruct (Nat.eq_dec k i) as [->|]; auto. apply before; lia.
Qed.

Lemma truth_steps_rightly : forall i, right_step f (r i) (w i) (r (S i)) = true.
Proof.
  intros i. unfold right_step. apply forallb_forall. intros g inside.
  destruct g as [|p|a|a b|a|a b]; cbn [right_about].
  - apply believed_is_true; simpl; auto.
  - apply equal_from. rewrite believed_is_true by auto. simpl. tauto.
  - assert (A : In a (parts f)) by operand inside.
    apply equal_from. rewrite believed_is_true by auto. pose proof (believed_is_true a i A) as right. simpl.
    destruct (believes (r i) a); simpl; intuition discriminate.
  - assert (A : In a (parts f)) by operand inside.
    assert (B : In b (parts f)) by operand inside.
    apply equal_from. rewrite andb_true_iff, !believed_is_true by auto. simpl. tauto.
  - assert (A : In a (parts f)) by operand inside.
    apply equal_from. rewrite !believed_is_true by auto. simpl. tauto.
  - assert (A : In a (parts f)) by operand inside.
    assert (B : In b (parts f)) by operand inside.
    apply equal_from. rewrite orb_true_iff, andb_true_iff, !believed_is_true by auto. apply till_unfolds.
Qed.

Lemma truth_keeps_promises : keeps_promises f r.
Proof.
  intros g promised i. apply filter_In in promised as [inside till].
  destruct g as [| | | | |a b]; try discriminate. cbn [kept].
  assert (B : In b (parts f)) by operand inside.
  destruct (classic (means truth w (Till a b) i)) as [(j & le & Bj & _)|no].
  - exists j. split; auto. apply orb_true_iff. right. apply believed_is_true; auto.
  - exists i. split; auto. apply orb_true_iff. left. apply negb_true_iff.
    destruct (believes (r i) (Till a b)) eqn:believed; auto. exfalso. apply no, believed_is_true; auto.
Qed.
End Complete.

Theorem automaton_accepts_models : forall f w, accepted f w <-> means truth w f 0.
Proof.
  intros f w. split.
  - intros (r & [begins steps] & promised). apply (guesses_are_right f w r); auto using part_of_itself.
    intros i. apply steps.
  - intros model.
    destruct (functional_choice (fun i g => In g (sublists (nodup same_kernel (parts f))) /\
      forall h, In h g <-> In h (parts f) /\ means truth w h i)) as (r & right).
    { intros i. destruct (sublist_of_true (fun h => means truth w h i) (nodup same_kernel (parts f))) as (g & G & H).
      exists g. split; auto. intros h. rewrite H, nodup_In. tauto. }
    assert (true_parts : forall i g, In g (r i) <-> In g (parts f) /\ means truth w g i) by (intros i; apply right).
    exists r. split; [split|].
    + apply (believed_is_true f w r true_parts); auto using part_of_itself.
    + intros i. pose proof (truth_steps_rightly f w r true_parts i) as step. split; auto.
      apply filter_In. split; [apply right|]. apply forallb_forall. intros h inside.
      unfold right_step in step. rewrite forallb_forall in step. eapply right_is_consistent; eauto.
    + apply (truth_keeps_promises f w r true_parts).
Qed.

(* Proof of everafter.certificates.automaton.textbook.Naive *)
Theorem automaton_of_formula : forall f w, accepted (kernel_of f) w <-> satisfies truth w f.
Proof. intros f w. unfold satisfies. rewrite automaton_accepts_models, kernel_means_the_same. tauto. Qed.
End Automaton.
