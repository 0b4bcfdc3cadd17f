"""Which steps suffice, as code: `everafter.reduction` where a row is expanded."""
