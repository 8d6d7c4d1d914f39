"""From a text to segments, and from segments to what to do with each: pure, and the same for the same input."""
