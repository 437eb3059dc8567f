"""Many files and large ones: parsed in parts, one after the other or on a cluster, into a directory."""
