"""The commands, one file a family: each reads its options, makes one call, prints."""
