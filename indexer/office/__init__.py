"""What Word and PowerPoint files have in common: packages, formulas, charts, and how their XML is named."""
