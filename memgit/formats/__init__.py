"""Pure translation between bytes and the model, without loss."""
