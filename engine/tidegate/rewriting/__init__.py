"""What a rewrite rule does to arguments: to values by pointer, and to commands as they are spelled."""
