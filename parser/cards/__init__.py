"""Cards as data: layouts, and how blocks are read by them."""
