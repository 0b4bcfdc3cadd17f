typedef Box { byte length; byte width };
Box here, there;
byte x;

active proctype P() {
    x = here;
    here = there
}
