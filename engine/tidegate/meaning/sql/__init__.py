"""What SQL does: statements, tables, conditions, as far as a parser sees them and never further."""
