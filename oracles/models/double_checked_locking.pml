/* Double-checked locking, with the publication before or behind the initialisation. */
/* with EARLY=0 N=2 */
/* with EARLY=1 N=2 */
/* with EARLY=0 N=3 */
#ifndef EARLY
#define EARLY 0
#define N 2
#endif
bool lock, created, ready; byte made;
active [N] proctype Thread() {
	if
	:: !created ->
	   atomic { !lock -> lock = true };
	   if
	   :: !created ->
	      made++;
#if EARLY
	      created = true; ready = true
#else
	      ready = true; created = true
#endif
	   :: else
	   fi;
	   lock = false
	:: created
	fi;
	assert(ready);
	assert(made == 1)
}
