/* While a rendezvous is under way, a receive from a buffered channel does not answer it. */
chan buffered = [1] of { byte };
chan meeting = [0] of { byte };
byte got;
active proctype Sender() { buffered!1; meeting!2; meeting!3 }
active proctype Receiver() { buffered?got; meeting?got; meeting?got }
active proctype Other() { do :: buffered?got; buffered!got :: got == 3 -> break od }
