"""From fragments of text on pages to headings, paragraphs, tables and figures: pure functions on plain data."""
