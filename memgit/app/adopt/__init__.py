"""Setting up a knowledge root, taking over a workspace of another system, and the way back."""
