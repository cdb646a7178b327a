"""Whether a value is said of something else than what is asked, though it stands in the same text.

Each check needs two things: the value is attached to another thing (a noun, a year, a row, a side of a change), and
what is asked has a value of its own beside it, or the value is denied. Where a check finds neither, the value stands.
"""
