"""What the sample PDFs say and how they are set, one module a kind of document."""
