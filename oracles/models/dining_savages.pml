/* Savages eat from a pot; who finds it empty wakes the cook. */
/* with SAVAGES=2 POT=2 */
/* with SAVAGES=3 POT=2 */
/* with SAVAGES=3 POT=3 NO_MUTEX */
#ifndef SAVAGES
#define SAVAGES 2
#define POT 2
#endif
byte servings; bool mutex; chan wake = [0] of { bit }; chan full_pot = [0] of { bit };
byte eaten;
active [SAVAGES] proctype Savage() {
	do
	::
#ifndef NO_MUTEX
	   atomic { !mutex -> mutex = 1 };
#endif
	   if
	   :: servings == 0 -> wake!1; full_pot?1
	   :: else
	   fi;
	   servings--;
	   assert(servings < POT);
#ifndef NO_MUTEX
	   mutex = 0;
#endif
	   eaten = (eaten + 1) % 4
	od
}
active proctype Cook() {
	do :: wake?1 -> assert(servings == 0); servings = POT; full_pot!1 od
}
ltl cooks { []<> (servings == POT) }
