(* Values: what a cell keeps of a number, and what the operators of C make of two.

   A value is an integer. Arithmetic is that of a 32-bit `int` and wraps; a store cuts to the width of its cell, as C does:
   300 in a byte is 44, 40000 in a short is -25536. Division by zero has no value, nor has the quotient that no `int` holds. *)
(* Proves: store_is_within, store_keeps *)
(* Assumes: nothing *)
From Coq Require Import ZArith Bool Lia.
Local Open Scope Z_scope.

(* The numbers that a cell can hold: `count` of them from `least` on. bit is 0 and 2; byte, mtype and chan 0 and 256;
   short -32768 and 65536; int -2147483648 and 4294967296; unsigned x : n is 0 and 2 to the n. A hidden variable that
   nothing reads has room for 0 alone: it does not tell states apart. *)
Record width := Width { least : Z; count : Z }.

(* What is left of a value once it is stored; one that fits takes the short way. *)
Definition store (w : width) (v : Z) : Z :=
  if (least w <=? v) && (v <? least w + count w) then v else (v - least w) mod count w + least w.

Definition int : width := Width (-2147483648) 4294967296.
Definition wrap (v : Z) : Z := store int v.

Definition truth (b : bool) : Z := if b then 1 else 0.
Definition is_true (v : Z) : bool := negb (v =? 0).

(* The operators that evaluate both sides. A shift looks at the last five bits of the distance, as processors do. *)
Inductive operator :=
| Plus | Minus | Times | Over | Modulo
| BitAnd | BitOr | BitXor | ShiftLeft | ShiftRight
| Equal | Unequal | Below | AtMost | Above | AtLeast.

Definition no_quotient (a b : Z) : bool := (b =? 0) || ((b =? -1) && (a =? -2147483648)).

Definition compute (o : operator) (a b : Z) : option Z :=
  match o with
  | Plus => Some (wrap (a + b))
  | Minus => Some (wrap (a - b))
  | Times => Some (wrap (a * b))
  | Over => if no_quotient a b then None else Some (Z.quot a b)
  | Modulo => if no_quotient a b then None else Some (Z.rem a b)
  | BitAnd => Some (Z.land a b)
  | BitOr => Some (Z.lor a b)
  | BitXor => Some (Z.lxor a b)
  | ShiftLeft => Some (wrap (Z.shiftl a (Z.land b 31)))
  | ShiftRight => Some (Z.shiftr a (Z.land b 31))
  | Equal => Some (truth (a =? b))
  | Unequal => Some (truth (negb (a =? b)))
  | Below => Some (truth (a <? b))
  | AtMost => Some (truth (a <=? b))
  | Above => Some (truth (b <? a))
  | AtLeast => Some (truth (b <=? a))
  end.

Theorem store_is_within : forall w v, 0 < count w -> least w <= store w v < least w + count w.
Proof.
  intros w v some. unfold store.
  destruct (Z.leb_spec (least w) v), (Z.ltb_spec v (least w + count w)); simpl; try lia;
    pose proof (Z.mod_pos_bound (v - least w) (count w) some); lia.
Qed.

(* What is stored is the same number but for a multiple of `count`: two's complement. *)
Theorem store_keeps : forall w v, 0 < count w -> (store w v) mod count w = v mod count w.
Proof.
  intros w v some. unfold store.
  destruct (Z.leb_spec (least w) v), (Z.ltb_spec v (least w + count w)); simpl; auto;
    rewrite Zplus_mod_idemp_l; f_equal; lia.
Qed.
