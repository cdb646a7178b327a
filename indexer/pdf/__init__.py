"""What a PDF file holds, by PyMuPDF, as plain data: pages turned for reading, and the pictures on them."""
