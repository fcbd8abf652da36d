"""Python-Markdown extensions that draw the book from proven sources."""
