"""The command line: arguments in, text or JSON out, and nothing else."""
