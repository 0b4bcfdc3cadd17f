"""Texts for each rule of the language: what SPIN reads, what it refuses, and where we differ on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: Declarations and units, each a whole model but for a process that does nothing.
UNITS = {
    "types": "bit a; bool b; byte c; pid d; short e; int f; mtype g; chan h; unsigned i : 5;",
    "several names": "byte a, b = 2, c[3], d[2] = 1;",
    "initial values": "byte a = 1 + 2 * 3; int b = -5; bool c = true; byte d = 'x'; byte e = (1 -> 2 : 3);",
    "initial value of another variable": "byte a = 3; byte b = a;",
    "array by list": "byte a[3] = { 1, 2, 3 }; int b[2] = { 7 };",
    "array of constant length": "#define N 4\nbyte a[N * 2]; byte b[(N - 1) / 2 + 1];",
    "length from an initialised variable": "byte n = 3; byte a[n];",
    "unsigned": "unsigned a : 1, b : 31, c : 7 = 3;",
    "visibility": "hidden byte a; show byte b; local byte c; hidden int d[2];",
    "mtype names": "mtype = { one, two, three }; mtype m = two;",
    "mtype without =": "mtype { one, two };",
    "mtype without commas": "mtype = { one two three };",
    "mtype twice": "mtype = { one, two }; mtype = { three };",
    "mtype subtypes": "mtype:fruit = { apple, pear }; mtype:size = { small }; mtype:fruit f = pear;",
    "mtype subtype as a field": "mtype:fruit = { apple }; chan q = [1] of { mtype:fruit, byte };",
    "typedef": "typedef T { byte a; int b[3]; chan q }; T t; T u[2];",
    "typedef with commas": "typedef T { byte a, b; bool c };",
    "typedef over lines": "typedef T {\n  byte a;\n  byte b;\n}\nT t",
    "typedef without semicolons": "typedef T {\n  byte a\n  byte b\n}\nT t",
    "typedef nested": "typedef A { byte x }; typedef B { A a; A b[2] }; typedef C { B b }; C c;",
    "typedef with initial values": "typedef T { byte a = 3; chan q = [2] of { byte } }; T t;",
    "channels": (
        "chan a = [0] of { byte }; chan b = [3] of { mtype, byte, bool, int, chan }; chan c[2] = [1] of { bit };"
    ),
    "channel of a structure": "typedef T { byte a; byte b }; chan q = [2] of { T }; chan r = [1] of { byte, T };",
    "channel without a shape": "chan q;",
    "capacity by an expression": "chan q = [2 * 2] of { byte };",
    "no separators between units": "byte a\nbyte b\nchan q = [1] of { byte }\nmtype = { x }\n",
    "redundant separators": ";;byte a;;;byte b;;",
    "arrow as a separator": "byte a -> byte b ->",
    "active processes": (
        "active proctype A() { skip } active [3] proctype B() { skip } active [1+1] proctype C() { skip }"
    ),
    "number of processes from a variable": "byte n = 2; active [n] proctype A() { skip }",
    "no processes of a kind": "active [0] proctype A() { skip }",
    "parameters": "proctype A(byte a, b; int c; chan q; mtype m; unsigned u : 3; bit z) { skip }",
    "parameters with a trailing semicolon": "proctype A(byte a) { skip }",
    "parameter of a structure": "typedef T { byte a; byte b }; proctype A(T t; byte c) { t.a = c }",
    "priority": "active proctype A() priority 5 { skip } proctype B() { skip }",
    "provided": (
        "byte x; active proctype A() provided (x == 0) { x = 1 } active proctype B() provided (x > 0 && x < 3) { skip }"
    ),
    "priority and provided": "byte x; active proctype A() priority 2 provided (x == 0) { skip }",
    "provided may use _pid": "active proctype A() provided (_pid == 0) { skip }",
    "deterministic": "active D_proctype A() { skip } D_proctype B(byte x) { skip }",
    "two claims": "byte x; never a { true } never b { do :: x == 0 od }",
    "unnamed claim": "byte x; never { do :: x == 0 :: x > 1 -> break od }",
    "claim with remote references": "byte x; active proctype A() { L: x = 1 } never { do :: !A@L && !A[0]@L od }",
    "claim with np_": "never { do :: np_ od }",
    "formulas": "byte x; ltl a { [] (x == 0) } ltl b { <> x > 1 } ltl { x == 0 U x == 1 }",
    "formulas in words": "byte x; ltl a { always (x == 0) } ltl b { eventually (x > 1) implies (x == 2 until x == 3) }",
    "formulas with more operators": (
        "byte x; ltl a { (x == 0) W (x == 1) } ltl b { (x == 0 V x == 1) <-> (x == 2 -> x == 3) }"
    ),
    "formula over lines": "byte x;\nltl a {\n  []\n  (x == 0)\n}",
    "formula with a macro": "byte x;\n#define p (x == 0)\nltl a { [] (p -> <> !p) }",
    "trace": "chan q = [1] of { byte }; trace { do :: q!1; q?1 od }",
    "notrace": "chan q = [1] of { byte }; notrace { if :: q!1 -> q?1 :: q!2 fi }",
    "trace with _": "chan q = [1] of { byte, byte }; trace { do :: q!_,1; q?_,_ od }",
    "inline": "byte x; inline i() { x = 1 } inline j(a, b) { a = b; i() } active proctype A() { j(x, 2) }",
    "inline before what it uses": "inline i() { y = 1 } byte y; active proctype A() { i() }",
    "inline that returns": "byte x; inline i(a) { return a + 1 } active proctype A() { x = i(3) }",
    "inline with labels": "byte x; inline i() { goto L; L: x = 1 } active proctype A() { i(); i() }",
    "inline with a declaration": "inline i(v) { byte t; t = v } active proctype A() { i(1); i(2) }",
    "inline in an option": "byte x; inline i() { x = 1; x = 2 } active proctype A() { if :: i() :: x == 0 -> i() fi }",
    "inline with no separator behind": "byte x; inline i() { x = 1 } active proctype A() { i() x = 2 }",
    "inline argument that is an expression": "byte x; inline i(a) { x = a } active proctype A() { i((1 + 2) * 3) }",
    "inline argument with a call": (
        "chan q = [1] of { byte }; byte x; inline i(a) { x = a } active proctype A() { i(len(q)) }"
    ),
    "run of a later proctype": "active proctype A() { run B(1) } proctype B(byte x) { skip }",
    "comments": "/* a */ byte x; // b\nbyte y /* c\n d */ ;",
    "characters": "byte a = '\\n', b = 'b';",
    "two inits": "init { skip } init { skip }",
    "initial value of a structure": "typedef T { byte a }; T t = 0; T u[2] = { 1, 2 };",
    "a comment closed twice": "/* a */ */ byte x; */",
    "standard input": "chan STDIN;",
    "a byte-order mark": "\ufeffbyte x;",
    "no separators on one line": "byte a byte b chan q = [1] of { byte } mtype = { x } byte c",
    "a separator before any closing brace": "mtype = { red; }; chan q = [1] of { byte; }; byte a[2] = { 1, 2; };",
    "commas between mtype names": "mtype = { one,, two, };",
    "a body of promises": "chan q = [1] of { byte }; active proctype A() { xr q }",
    "the name of a kind at the end of a line": (
        "typedef T { byte x }; T\nt; proctype A() { skip } inline i() { skip } "
        "active proctype B() { T\nu; run A\n(); i\n() }"
    ),
    "the name of a kind at the end of a line of fields": "typedef T { byte x }; typedef U { T\nt; byte y };",
    "a condition on channels": (
        "chan q = [1] of { byte }; active proctype A() provided (len(q) == 0 || q?[1] || (_pid -> 1 : 0)) { skip }"
    ),
    "no process but a claim": "byte x; never { true }",
}

#: Statements, each the body of a process that knows these names.
KNOWN = """mtype = { red, green };
typedef Point { byte x; byte y };
byte x, y, a[3]; bool b; mtype m; Point p; Point ps[2]; int n;
chan q = [2] of { byte }; chan r = [2] of { mtype, byte, byte }; chan z = [0] of { byte }; chan cs[2] = [1] of { byte };
chan pq = [2] of { Point };
proctype Other(byte v; chan w) { byte inner; byte list[2]; Here: inner = v; There: skip }
inline set(v, e) { v = e }
inline twice(e) { return e * 2 }
"""
STATEMENTS = {
    "assignment": "x = 1; a[2] = x; p.x = 3; ps[1].y = a[x]; m = red; b = x > 1 && !b",
    "increment": "x++; x--; a[1]++; p.x--; ps[x].y++",
    "skip true false": "skip; true; 1; if :: false :: skip fi",
    "expression statements": "x == 1; (x); x; x + 1; !x; -x; ~x; 3; m == red; b",
    "operators": (
        "n = x + y - 1 * 2 / 3 % 4 & 5 | 6 ^ 7; n = x << 1 >> 2; "
        "b = x < y && x <= y || x > y && x >= y; b = x == y || x != y"
    ),
    "unary": "n = - - 1; n = ! !x; n = ~~x; n = -(x + 1); b = !(x == 1)",
    "conditional expression": "n = (x > 1 -> x : y); n = (x -> (y -> 1 : 2) : 3) + 1; (x -> y : 1)",
    "parentheses": "((((x == 1))))",
    "characters and constants": "x = 'a'; x = true; b = false",
    "predefined variables": "n = _pid; n = _nr_pr; n = _last; _ = 3",
    "send": "q!1; q!x+1; q!(x); z!x; cs[1]!2; cs[x]!a[1]",
    "send several": "r!red,1,2; r!red(1,2); r!m,x,(y)",
    "sorted send": "q!!1; r!!red,1,2; r!!red(x,y)",
    "send a structure": "pq!p; pq!ps[1]",
    "receive": "q?x; q?1; q?_; z?x; cs[0]?a[1]; q?-1; q?p.x",
    "receive several": "r?red,x,y; r?m,_,1; r?red(x,y); r?m(x,_); r?(m,x,y)",
    "receive eval": "q?eval(x); q?eval(x+1); r?eval(m),eval(_pid),x; r?eval(m)(x,y)",
    "random receive": "q??x; q??1; r??red,x,_; r??eval(m)(1,y)",
    "copying receive": "q?<x>; r?<red,x,_>; q??<x>; r??<m(x,y)>",
    "receive a structure": "pq?p; pq?ps[0]",
    "poll": "q?[1]; q?[x]; q??[2]; r?[red,1,_] && x == 1; b = q?[1]; !(q?[1]); r??[red(x,y)]",
    "channel queries": "len(q) < 2; empty(q); full(q) && nempty(q); nfull(cs[1]) || x == 1; (empty(q)); b = len(q)",
    "channel query in an assignment": "b = full(q); b = empty(q) && x == 1",
    "channels as values": "chan c; c = q; c!1; c?x",
    "run": "run Other(1, q); n = run Other(x, cs[1]); run Other(1, z) priority 3",
    "process queries": "pc_value(_pid) > 1; n = get_priority(0); set_priority(0, 3); _priority = 4",
    "remote references": "Other[1]@Here; Other@There; Other[1]:inner == 1; Other:inner == 2; n = Other[1]:list[0]",
    "printf": 'printf("none"); printf("%d %e %c\\n", x, m, 65); printf("%d", x + 1);',
    "printm": "printm(red); printm(m)",
    "assert": "assert(x == 1); assert x == 1; assert(true)",
    "if": "if :: x = 1 :: x == 2 -> y = 3; y = 4 :: else -> skip fi",
    "if with else alone": "if :: x == 1 :: else fi",
    "else without a separator": "if :: x == 1 -> y = 2 :: else y = 3 fi",
    "else before the others": "if :: else -> x = 1 :: x == 1 -> skip fi",
    "do": "do :: x < 3 -> x++ :: else -> break od",
    "nested choices": "do :: if :: x = 1 :: do :: break od fi :: break od",
    "goto": "L: x = 1; if :: goto L :: goto M fi; M: skip",
    "labels": "L1: L2: x = 1; L3: if :: skip :: skip fi; L4: do :: break od; L5: { x = 1 }; L6: atomic { x = 1 }",
    "label without a statement": "if :: x == 1 -> L: :: skip fi; x = 1; M:",
    "label before a separator": "L: ; x = 1",
    "end accept progress labels": "end: x = 1; accept_a: x = 2; progress1: x = 3",
    "atomic": "atomic { x = 1; y = 2 }; atomic { if :: x = 1 :: y = 1 fi; }",
    "d_step": (
        "d_step { x = 1; y = 2 }; d_step { x == 1 -> if :: y = 1 :: else fi; do :: x < 3 -> x++ :: else -> break od }"
    ),
    "atomic and d_step nested": (
        "atomic { x = 1; d_step { y = 1; y = 2 }; atomic { x = 2 } }; d_step { atomic { x = 1 } }"
    ),
    "block": "{ x = 1; y = 2 }; { { x = 3 } }",
    "block without a separator behind": "{ x = 1 } y = 2; atomic { x = 1 } y = 2; d_step { x = 1 } y = 2",
    "block without a separator behind, on lines": (
        "{\n x = 1\n}\ny = 2\nif\n:: x = 1\nfi\ny = 3\ndo\n:: break\nod\nx = 2"
    ),
    "unless": "x = 1 unless x == 2; { x = 1; y = 2 } unless { x == 3 -> y = 4 }; do :: x++ od unless { x > 3 }",
    "unless with atomics": "atomic { x = 1; y = 1 } unless { y == 2 }; { x = 1 } unless atomic { x == 1; y = 2 }",
    "unless within unless": "{ { x = 1 } unless { y == 1 } } unless { y == 2 }",
    "unless behind a label": "L: { x = 1 } unless { y == 1 }; M: atomic { x = 1 } unless { y == 1 }",
    "for": "for (x : 1 .. 3) { y = x }; for (n : x .. y + 1) { skip; }",
    "for without a separator behind": "for (x : 1 .. 3) { y = x } y = 2",
    "for on several lines": "for (x : 1 .. 3)\n{\n y = x\n}\ny = 2",
    "for over an array": "for (x in a) { a[x] = 1 }",
    "for over an array of structures": "for (x in ps) { ps[x].x = 1 }",
    "for over a channel": "Point i; for (i in pq) { x = i.x }",
    "for with break and goto": "for (x : 1 .. 3) { if :: break :: goto L :: else fi }; L: skip",
    "nested for": "for (x : 0 .. 1) { for (y : 0 .. 1) { a[x] = y } }",
    "select": "select (x : 1 .. 3); select (n : x .. y); select (x : 0 .. 99)",
    "declarations anywhere": "byte i; x = 1; byte j = 2; int k[2]; Point o; j = i; bool l = x > 1",
    "declarations in blocks": "{ byte i; i = 1 }; { byte i; i = 2 }; if :: byte i; i = 1 :: skip fi",
    "visible local": "show byte i; i = 1",
    "local channel": "chan c = [1] of { byte }; c!1; c?x",
    "local array by list of one, behind a statement": "x = 1; byte l[2] = { 1 }; l[0] = 3",
    "local array by list on lines": "byte l[2] = { 1,\n 2\n }; l[0] = 3",
    "local array by list": "byte l[2] = { 1, 2 }; l[0] = 3",
    "exclusive channels": "xr q; xs r; skip",
    "exclusive channels in a list": "xr q, r; skip",
    "inlines": "set(x, 1); set(a[1], x + 2); x = twice(3)",
    "inline calls without separators": "set(x, 1) set(y, 2)",
    "timeout": "timeout; timeout -> x = 1; if :: timeout :: x == 1 fi",
    "arrow as a separator": "x = 1 -> y = 2 -> skip",
    "redundant separators": "x = 1;; y = 2 ; -> ;",
    "line ends as separators": (
        'x = 1\ny = 2\nx++\nq!1\nq?x\nset(x, 1)\nx == 1\nprintf("x")\nassert(x)\ngoto L\nL: skip\nrun Other(1, q)'
    ),
    "a line that goes on": "x = 1 +\n2;\ny = (x\n+ 1);\nr!red,\n1,\n2",
    "options on lines": "if\n:: x == 1 ->\n  y = 1\n:: x == 2\n-> y = 2\n:: else\nfi",
    "priority of unary": "!x == 1; -x + 1 == 0; !q?[1]",
    "comparison of a channel": "q == cs[0]",
    "index out of range": "x = a[7]",
    "a scalar with index 0": "x = y[0]",
    "break in a block": "do :: { x = 1; break } od",
    "message too long": "q!1,2",
    "two runs in an assignment": "x = run Other(1, q) + run Other(2, q); x = 1 + run Other(1, q)",
    "value of a run": "x = run Other(1, q); (run Other(1, q)); if :: run Other(1, q) :: skip fi",
    "structure in printf": 'printf("%d %d", p.x, ps[0].y)',
    "hex in a string only": 'printf("%x 0x10", x)',
    "initial value of a local structure": "Point i = 1; i.x = 2",
    "a long arrow": "x == 1 --> y = 2; n = (x --> 1 : 2); if :: else --> skip fi",
    "a long arrow is no decrement": "x-- --> y = 1; if :: x --> skip fi",
    "long operators": "n = x <=< 1; n = x >=> 1; x !!= y",
    "a comment closed in a statement": "x = 1 */; x = 2 *// 3\n 2; x = 2 */* 3 */ 4",
    "unless behind a brace, on lines": "{ x = 1 }\nunless { x == 2 }; atomic { x = 1 }\nunless\n{ x == 2 }",
    "timeout at the end of a line": "timeout\nx = 1",
    "a line that a backslash continues": "x = 1 \\\n y = 2; x = 1 \\\n; y = (1 \\\n + 2)",
    "remote variables in a d_step": "d_step { x = Other:inner; y = Other[1]:list[0]; q!Other:inner }",
    "for with a separator before its body": "for (x : 1 .. 2) ; { skip }; for (x : 1 .. 2)\n; { skip }",
    "fields in parentheses": "r?m,(x,y); r?m,x(y); r?((m,x,y)); r!red(x,y)",
    "a name like a keyword": "byte iff; byte done; iff = done",
}

#: Texts that SPIN refuses, and so do we.
WRONG_UNITS = {
    "nothing": "",
    "unknown word": "bite x;",
    "missing brace": "active proctype A() { skip",
    "one brace too many": "active proctype A() { skip } }",
    "empty body": "active proctype A() { }",
    "typedef in a process": "active proctype A() { typedef T { byte x }; skip }",
    "mtype names in a process": "active proctype A() { mtype = { a, b }; skip }",
    "unsigned as a field": "chan q = [1] of { unsigned };",
    "two dimensions": "byte a[2][3];",
    "unknown type of a field": "chan q = [1] of { T };",
    "missing of": "chan q = [1] { byte };",
    "initial value by run": "byte x = run A(); proctype A() { skip }",
    "parameter with an initial value": "proctype A(byte x = 1) { skip }",
    "commas between typed parameters": "proctype A(byte x, byte y) { skip }",
    "list for a scalar": "byte x = { 1, 2 };",
    "redeclared variable": "byte x; byte x;",
    "redeclared mtype": "mtype = { a, a };",
    "undeclared in a claim": "never { y == 1 }",
    "recursive inline": "byte x; inline i() { x = 1; i() } active proctype A() { i() }",
    "too few inline arguments": "byte x; inline i(a, b) { a = b } active proctype A() { i(x) }",
    "too many inline arguments": "byte x; inline i(a) { a = 1 } active proctype A() { i(x, 1) }",
    "inline redefined": "inline i() { skip } inline i() { skip }",
    "unnamed inline": "inline () { skip }",
    "statement outside a process": "byte x; x = 1;",
    "active without proctype": "active A() { skip }",
    "provided without parentheses": "byte x; active proctype A() provided x == 0 { skip }",
    "unclosed string": 'active proctype A() { printf("a) }',
    "unclosed comment": "active proctype A() { skip } /* open",
    "wrong character": "byte x; active proctype A() { x = 1 $ 2 }",
    "include of nothing": '#include "no such file"',
    "else without if": "#else",
    "error directive": "#error no",
    "macro with too few arguments": "#define F(a,b) a\nbyte x = F(1);",
    "trace with a statement": "byte x; trace { x = 1 }",
    "unless in a d_step": "byte x; active proctype A() { d_step { x = 1 unless x == 2 } }",
    "hidden channel": "hidden chan q = [1] of { byte };",
    "hidden bit": "hidden bit b;",
    "array as a parameter": "proctype A(byte x[3]) { skip }",
    "structure with an array as a parameter": "typedef T { byte a[2] }; proctype A(T t) { skip }",
    "structure redeclared": "typedef T { byte a }; typedef T { byte b };",
    "structure that contains itself": "typedef T { T t };",
    "empty structure": "typedef T { };",
    "field twice": "typedef T { byte a; int a };",
    "proctype redeclared": "proctype A() { skip } proctype A() { skip }",
    "priority out of range": "active proctype A() priority 300 { skip }",
    "too many mtype names": "mtype = { " + ", ".join(f"m{i}" for i in range(260)) + " };",
    "array of no elements": "byte a[0];",
    "assignment in provided": "byte x; active proctype A() provided (x = 1) { skip }",
    "sends in a claim": "chan q = [1] of { byte }; never { q!1 }",
    "trace twice": "chan q = [1] of { byte }; trace { q!1 } trace { q!1 }",
    "enabled beside a rendezvous": "chan z = [0] of { byte }; active proctype A() { enabled(1) }",
    "variable as a length": "byte a[b];",
    "standard input that is not declared": "byte c; active proctype A() { STDIN?c }",
    "inline with a comma last": "inline i(a, ) { skip }",
    "mtype without names": "mtype = { };",
    "mtype with a comma first": "mtype = { , a };",
    "typedef with a separator first": "typedef T { ; byte x };",
    "parameters with a separator first": "proctype A(; byte x) { skip }",
    "parameters with a separator last": "proctype A(byte x;) { skip }",
    "field with a computed initial value": "byte n; typedef T { byte x = n };",
    "initial value by a poll": "chan q = [1] of { byte }; active proctype B() { byte x = q?[1]; skip }",
    "condition on a parameter": "proctype A(byte x) provided (x == 1) { skip }",
    "condition on a process": "proctype A() { L: skip } active proctype B() provided (!A@L) { skip }",
    "condition by run": "proctype A() { skip } active proctype B() provided (run A()) { skip }",
    "initial value of another subtype": "mtype:a = { x }; mtype:b = { y }; mtype:a m = y;",
    "variable that is predefined": "byte _last;",
    "proctype that is predefined": "proctype _pid() { skip }",
    "mtype subtype without =": "mtype:fruit { apple };",
    "two dots": "byte x; active proctype A() { for (x : 1 . 2) { skip } }",
}
WRONG_STATEMENTS = {
    "undeclared variable": "nope = 1",
    "undeclared in an expression": "x = nope",
    "undeclared channel": "nope!1",
    "missing operand": "x = ",
    "missing semicolon": "x = 1 y = 2",
    "double operator": "x = 1 + * 2",
    "assignment in an expression": "(x = 1)",
    "unclosed parenthesis": "x = (1 + 2",
    "unclosed if": "if :: x = 1",
    "unclosed do": "do :: x = 1",
    "if without options": "if fi",
    "if closed by od": "if :: x = 1 od",
    "empty option": "if :: :: x = 1 fi",
    "empty block": "{ }",
    "empty atomic": "atomic { }",
    "break outside a loop": "break",
    "goto nowhere": "goto nowhere",
    "goto a variable": "goto x",
    "label that is a variable": "x: y = 1",
    "label on a declaration": "L: byte i; i = 1",
    "label first in a block": "{ L: x = 1 }",
    "label twice": "L: x = 1; L: y = 1",
    "jump into a d_step": "goto L; d_step { x = 1; L: y = 1 }",
    "jump out of a d_step": "d_step { x = 1; goto L }; L: skip",
    "field of a scalar": "x.y = 1",
    "unknown field": "p.z = 1",
    "keyword as a variable": "do = 1",
    "keyword as a declaration": "byte if; skip",
    "negated full": "!full(q)",
    "negated empty in parentheses": "!(empty(q) && x == 1)",
    "full in arithmetic": "x = full(q) + 1",
    "receive a field twice": "r?m,x,x",
    "read of _": "x = _",
    "write to _pid": "_pid = 1",
    "write to _nr_pr": "_nr_pr = 1",
    "run of an unknown proctype": "run Nope()",
    "run with too few arguments": "run Other(1)",
    "run in a d_step": "d_step { run Other(1, q) }",
    "two runs in a condition": "run Other(1, q) + run Other(2, q)",
    "run in a sum": "1 + run Other(1, q)",
    "run in a send": "q!run Other(1, q)",
    "run negated": "!(run Other(1, q))",
    "unknown remote label": "Other@Nowhere",
    "select over a structure": "select (p : 1 .. 2)",
    "for over a scalar": "for (x in y) { skip }",
    "for without a body": "for (x : 1 .. 2)",
    "for with a reversed range": "for (x : 3 .. 1) { skip }",
    "for with an array as index": "for (a : 1 .. 2) { skip }",
    "redeclared local": "byte i; byte i; skip",
    "constant to a channel": "q = 1",
    "arithmetic on a channel": "q++",
    "channel created later": "x = 1; chan c = [1] of { byte }; skip",
    "string as a value": 'x = "a"',
    "printf without a format": "printf(x)",
    "field of an mtype name": "x = red.y",
    "full in a send": "q!full(q)",
    "full in an index": "a[full(q)] = 1",
    "full in printf": 'printf("%d", full(q))',
    "full in a run": "run Other(full(q), q)",
    "full in eval": "q?eval(full(q))",
    "full in a conditional expression": "x = (full(q) -> 1 : 2)",
    "full in a range": "for (x : full(q) .. 2) { skip }",
    "full in an initial value": "byte i = full(q); skip",
    "xr of an element": "xr cs[0]; skip",
    "channel in arithmetic": "x = q + 1",
    "for of another type than the channel": "Point i; for (i in r) { skip }",
    "infinite goto": "L: goto L",
    "cycle of gotos": "L: goto M; M: goto L",
    "hidden local": "hidden byte i; i = 1",
    "array as a run argument": "run Other(a, q)",
    "np_ in a process": "np_",
    "return outside an inline": "return 1",
    "proctype as a variable": "Other = 1",
    "proctype as an array": "x = Other[1]",
    "inline as a variable": "x = set",
    "mtype name assigned to": "red = 1",
    "assignment to a structure": "p = ps[0]",
    "structure in an expression": "x = p",
    "break out of a d_step": "do :: d_step { x = 1; break } od",
    "unknown escape": "x = 1 unless",
    "select without a range": "select (x)",
    "assert without a condition": "assert",
    "goto without a label": "goto",
    "run without a name": "run (1)",
    "two values in an index": "a[1,2] = 3",
    "no operator": "x 1",
    "arrow in an expression": "x = 1 -> 2 : 3",
    "else twice": "if :: else :: else fi",
    "colons missing": "if x == 1 -> skip fi",
    "guard label of an escape": "x = 1 unless L: x == 2",
    "hexadecimal number": "x = 0x10",
    "array without an index": "x = a + 1",
    "trailing comma": "r!red,1,",
    "sequence operator": "x = 1, y = 2",
    "increment as an expression": "y = x++",
    "ternary in C": "x = y ? 1 : 2",
    "a comment closed instead of an operator": "x = 2 */ 3",
    "label that is predefined": "_nr_pr: x = 1",
    "increment of _": "_++",
    "computed number in a receive": "q?-~1",
    "computed value in printm": "printm(x + 1)",
    "separator first": "; x = 1",
    "arrow first in an option": "if :: -> x = 1 fi",
    "separator before the options": "do ; :: x = 1 od",
    "unless at the start of a line": "x = 1\nunless { x == 2 }",
    "a line end in brackets": "x = a[1\n]",
    "a line that a backslash continues within a word": "x = 1\\\ny = 2",
    "parentheses behind the second field": "r!red,x(y)",
    "fields behind parentheses": "r!red(x),y",
    "fields behind parentheses of a receive": "r?m(x),y",
    "list of initial values behind a statement": "x = 1; byte l[2] = { 1, 2 }; skip",
    "exclusive use of a number": "xr x; skip",
    "compound assignment": "x += 1",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A text on which we differ from SPIN on purpose; one of the two accepts it."""

    text: str
    accepted_by: Literal["SPIN", "us"]
    reason: str


DIFFERENCES = {
    "unknown remote variable": Difference(
        "proctype A() { skip } byte x; active proctype B() { A:nope == 1 }",
        "SPIN",
        "only the C compiler refuses what SPIN makes of it",
    ),
    "array indexed by itself": Difference(
        "byte a[2]; active proctype A() { a[a[0]] = 1 }", "us", "SPIN's way of taking steps back cannot do it"
    ),
    "else beside a receive": Difference(
        "chan q = [1] of { byte }; byte x; active proctype A() { if :: q?x :: else fi }",
        "us",
        "it has a meaning: else is possible when nothing can be received",
    ),
    "X in a formula": Difference(
        "byte x; active proctype A() { x = 1 } ltl a { X (x == 1) }", "us", "Debian's SPIN is built without X"
    ),
    "break before a d_step": Difference(
        "byte x; active proctype A() { do :: x == 0 -> break :: else -> break od; d_step { x == 0; x = 1 } }",
        "us",
        "SPIN takes the way out of the loop for a jump into the d_step",
    ),
    "names behind a list of values": Difference(
        "byte a[2] = { 1, 2 }, b; active proctype A() { skip }", "us", "SPIN puts a semicolon behind every brace"
    ),
    "choice in a formula": Difference(
        "byte x; active proctype A() { x = 1 } ltl a { [] ((x -> 1 : 2) > 0) }",
        "us",
        "SPIN takes the arrow for implies",
    ),
    "list of computed values": Difference(
        "byte a[2] = { 1 + 1, -1 }; active proctype A() { skip }", "us", "SPIN takes plain numbers only"
    ),
    "remote condition in a d_step": Difference(
        "byte x; proctype B() { L: skip } active proctype A() { d_step { B@L; x = 1 } }",
        "us",
        "SPIN's d_steps cannot test it, though they can compute with it",
    ),
    "loop as the escape of a loop": Difference(
        "byte x; active proctype A() { do :: break od unless do :: break od }", "us", "SPIN loses the second break"
    ),
    "initial value by a remote reference": Difference(
        "proctype A() { byte v; skip } active proctype B() { byte x = A:v; skip }",
        "SPIN",
        "SPIN computes it before anything has run, and mostly finds no such process",
    ),
    "remote reference in a choice in an inline's argument": Difference(
        "byte x; proctype B() { byte v; skip } inline i(a) { x = a } active proctype A() { i((x -> B:v : 2)) }",
        "us",
        "SPIN loses a part of the argument",
    ),
    "timeout as an inline's argument": Difference(
        "byte x; inline i(a, b) { a = b } active proctype A() { i(x, timeout) }",
        "us",
        "SPIN takes it for 'timeouttimeout'",
    ),
    "priority of what is not started": Difference(
        "proctype A() priority 0 { skip } active proctype B() { skip }", "SPIN", "nothing can have this priority"
    ),
    "printm of a number": Difference("active proctype A() { printm(3) }", "us", "SPIN reads it and then gives up"),
    "number as a channel": Difference(
        "byte x; active proctype A() { if :: empty(x) :: skip fi }", "us", "it may hold the number of a channel"
    ),
    "length by a variable without a value": Difference(
        "byte n; byte a[n]; active proctype A() { skip }", "SPIN", "SPIN takes 8 for it"
    ),
    "select without a range": Difference(
        "byte x; active proctype A() { select (x : .. 1 3) }", "SPIN", "SPIN looks only for the numbers"
    ),
    "structure of names": Difference(
        "typedef T { mtype = { a } }; active proctype A() { skip }", "SPIN", "it has no field"
    ),
    "fewer than no processes": Difference(
        "active [-1] proctype A() { skip } active proctype B() { skip }", "SPIN", "nobody can have meant it"
    ),
    "embedded C": Difference(
        "byte x; active proctype A() { c_code { now.x = 1; } }", "SPIN", "there is no C compiler in the path of a model"
    ),
}
