/* Dining philosophers with five ways to take forks. */
/* with N=3 WAY=0 */
/* with N=3 WAY=1 */
/* with N=3 WAY=2 */
/* with N=3 WAY=3 */
/* with N=3 WAY=4 */
/* with N=5 WAY=0 */
/* with N=5 WAY=2 */
/* with N=6 WAY=1 */
#ifndef N
#define N 3
#endif
#ifndef WAY
#define WAY 0
#endif
#define left  fork[_pid]
#define right fork[(_pid + 1) % N]
bool fork[N];
byte eating[N], seated;
active [N] proctype Phil() {
	do
	::
#if WAY == 0                  /* left first: deadlock */
	   atomic { !left -> left = 1 };
	   atomic { !right -> right = 1 };
#elif WAY == 1                /* one of them is left-handed */
	   if
	   :: _pid == 0 -> atomic { !right -> right = 1 }; atomic { !left -> left = 1 }
	   :: else -> atomic { !left -> left = 1 }; atomic { !right -> right = 1 }
	   fi;
#elif WAY == 2                /* a waiter admits all but one */
	   atomic { seated < N - 1 -> seated++ };
	   atomic { !left -> left = 1 };
	   atomic { !right -> right = 1 };
#elif WAY == 3                /* both at once */
	   atomic { !left && !right -> left = 1; right = 1 };
#else                         /* try, and put back */
	   do
	   :: atomic { !left -> left = 1 };
	      if
	      :: atomic { !right -> right = 1 }; break
	      :: right -> left = 0
	      fi
	   od;
#endif
	   eating[_pid] = 1;
eat:	   assert(!eating[(_pid + 1) % N] && !eating[(_pid + N - 1) % N]);
	   eating[_pid] = 0;
	   left = 0; right = 0
#if WAY == 2
	   ; seated--
#endif
	od
}
ltl first_eats { []<> (eating[0] == 1) }
ltl someone_eats { []<> (eating[0] + eating[1] + eating[2] > 0) }
