"""Reading and writing objects: blobs, trees, what a partial clone lacks."""
