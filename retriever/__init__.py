"""Question to evidence: plan, search, fuse, expand, budget."""
