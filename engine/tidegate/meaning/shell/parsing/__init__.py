"""Shell text becomes a syntax tree: one class per part of the grammar, each on top of the one before."""
