/* A pipeline of three stages with registers; FORWARD=0 needs a stall. */
/* with FORWARD=1 STALL=0 */
/* with FORWARD=0 STALL=1 */
/* with FORWARD=0 STALL=0 */
#ifndef FORWARD
#define FORWARD 1
#define STALL 0
#endif
typedef Insn { byte dst; byte src; byte imm; bool valid };
byte reg[4], model[4];
Insn fetch, exec, write_; byte alu; byte executed;
active proctype Cpu() {
	byte dst, src, imm, operand; bool stalled;
	do
	:: executed < 4 ->
	   if :: dst = 1 :: dst = 2 fi;
	   if :: src = 0 :: src = 1 :: src = 2 fi;
	   if :: imm = 1 :: imm = 2 fi;
	   skip;
	   d_step {
	      model[dst] = (model[src] + imm) % 4;
	      fetch.dst = dst; fetch.src = src; fetch.imm = imm; fetch.valid = true
	   };
advance:   skip;
	   d_step {
	      if :: write_.valid -> reg[write_.dst] = alu :: else fi;
	      stalled = STALL && exec.valid && fetch.valid && exec.dst == fetch.src;
	      if
	      :: exec.valid ->
	         operand = reg[exec.src];
	         if :: FORWARD && write_.valid && write_.dst == exec.src -> operand = alu :: else fi;
	         alu = (operand + exec.imm) % 4;
	         write_.dst = exec.dst; write_.valid = true
	      :: else -> write_.valid = false
	      fi;
	      if
	      :: stalled -> exec.valid = false
	      :: else -> exec.dst = fetch.dst; exec.src = fetch.src; exec.imm = fetch.imm; exec.valid = fetch.valid; fetch.valid = false
	      fi;
	      operand = 0
	   };
	   if :: stalled -> goto advance :: else fi;
	   executed++
	:: else -> break
	od;
	do
	:: fetch.valid || exec.valid || write_.valid ->
	   d_step {
	      if :: write_.valid -> reg[write_.dst] = alu :: else fi;
	      if
	      :: exec.valid -> operand = reg[exec.src];
	         if :: FORWARD && write_.valid && write_.dst == exec.src -> operand = alu :: else fi;
	         alu = (operand + exec.imm) % 4; write_.dst = exec.dst; write_.valid = true
	      :: else -> write_.valid = false
	      fi;
	      exec.dst = fetch.dst; exec.src = fetch.src; exec.imm = fetch.imm; exec.valid = fetch.valid; fetch.valid = false
	   }
	:: else -> break
	od;
	assert(reg[1] == model[1] && reg[2] == model[2])
}
