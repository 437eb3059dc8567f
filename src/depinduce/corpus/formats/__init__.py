"""What people bring, other than CoNLL-U: a module for every format, each giving `Brought` sentences."""
