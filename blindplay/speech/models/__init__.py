"""Speech models on this machine: the catalogue, downloads, the folders they lie in."""
