"""memgit in the files of coding agents: what each gets, put in, taken out, and what its hooks answer."""
