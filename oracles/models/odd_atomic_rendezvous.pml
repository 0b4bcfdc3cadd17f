/* A rendezvous inside atomic sequences on both sides: control is handed over. */
/* with BOTH=1 */
/* with BOTH=0 */
#ifndef BOTH
#define BOTH 1
#endif
chan r = [0] of { byte }; byte log_, third;
active proctype S() { atomic { log_ = 1; r!3; assert(third != 7 || log_ == 2); log_ = 5 } }
#if BOTH
active proctype R() { byte v; atomic { r?v; log_ = 2; third = v } }
#else
active proctype R() { byte v; r?v; log_ = 2; third = v }
#endif
active proctype N() { log_ == 2 -> third = 7 }
