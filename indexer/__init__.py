"""Files → blocks → tree → vectors → store."""
