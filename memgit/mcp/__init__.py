"""The face for agents: a Model Context Protocol server over the same use cases as the command line."""
