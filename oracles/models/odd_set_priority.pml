/* Priorities that change while the model runs. */
/* with BOOST=0 */
/* with BOOST=9 */
#ifndef BOOST
#define BOOST 9
#endif
byte done_; byte log_[3];
active [3] proctype T() {
	if
	:: BOOST > 0 && _pid == 2 -> set_priority(_pid, BOOST)
	:: else
	fi;
	log_[done_] = _pid;
	done_++;
	assert(get_priority(_pid) >= 1)
}
ltl all3 { <> (done_ == 3) }
