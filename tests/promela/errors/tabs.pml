byte turn, x;

active proctype P() {
	if
	:: trun == 1 ->		x = 1
	:: else
	fi
}
