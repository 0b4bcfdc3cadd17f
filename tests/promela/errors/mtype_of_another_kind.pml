mtype:fruit = { apple, pear };
mtype:size = { small, large };
mtype:fruit f;

active proctype P() {
    f = small
}
