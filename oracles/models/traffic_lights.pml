/* A crossing with two lights and an emergency switch; every light changes in order. */
/* with EMERGENCY=0 */
/* with EMERGENCY=1 */
/* with EMERGENCY=0 HASTY */
#ifndef EMERGENCY
#define EMERGENCY 0
#endif
mtype = { red, amber, green };
mtype light[2] = red; bit turn; bool emergency;
proctype Light(bit me) {
	do
	:: turn == me && !emergency ->
	   light[me] = green;
	   light[me] = amber;
#ifdef HASTY
	   turn = 1 - me; light[me] = red
#else
	   light[me] = red; turn = 1 - me
#endif
	:: emergency -> light[me] = red; !emergency
	od
}
init { atomic { run Light(0); run Light(1) } }
#if EMERGENCY
active proctype Siren() { do :: emergency = true; emergency = false od }
#endif
ltl never_both { [] !(light[0] == green && light[1] == green) }
ltl no_crash { [] (light[0] != red -> light[1] == red) }
ltl each_goes { ([]<> (light[0] == green)) && ([]<> (light[1] == green)) }
ltl cycle_ { [] (light[0] == green -> (light[0] == green U light[0] == amber)) }
