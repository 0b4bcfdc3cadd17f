/* MSI cache coherence on an atomic bus. */
/* with CPUS=2 */
/* with CPUS=3 */
/* with CPUS=3 LAZY_INVALIDATE */
#ifndef CPUS
#define CPUS 2
#endif
mtype = { M, S, I };
mtype line[CPUS] = I; byte data[CPUS], memory, latest;
inline write_back() {
	for (k : 0 .. CPUS - 1) { if :: line[k] == M -> memory = data[k]; line[k] = S :: else fi }
}
active [CPUS] proctype Cpu() {
	byte k;
	do
	:: atomic { line[_pid] == I -> write_back(); k = 0; data[_pid] = memory; line[_pid] = S }
	:: line[_pid] != I -> assert(data[_pid] == latest || line[_pid] == I)
	:: atomic { line[_pid] != M -> write_back();
#ifdef LAZY_INVALIDATE
	      };
	   atomic {
#endif
	      for (k : 0 .. CPUS - 1) { line[k] = I }
	      k = 0; line[_pid] = M; data[_pid] = memory }
	:: atomic { line[_pid] == M -> data[_pid] = (data[_pid] + 1) % 3; latest = data[_pid] }
	od
}
ltl one_owner { [] !(line[0] == M && line[1] != I) }
ltl fresh { [] (line[0] == M -> data[0] == latest) }
