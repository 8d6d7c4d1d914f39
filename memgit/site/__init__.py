"""The records as pages: a static site, and the same served live from the working tree."""
