typedef Box { byte length; byte width };
Box here;

active proctype P() {
    here.lenght = 1
}
