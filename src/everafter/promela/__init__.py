"""Reading Promela: preprocessor, parser, scopes and types."""
