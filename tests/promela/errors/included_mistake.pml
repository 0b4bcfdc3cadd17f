#include "parts/counter.h"

active proctype P() {
    count = 1
}
