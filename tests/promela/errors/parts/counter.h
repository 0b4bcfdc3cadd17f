/* The counter of the model. */
byte count = strat;
