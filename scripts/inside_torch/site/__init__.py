"""The site: both languages built from the book with MkDocs, and served. The only room that knows MkDocs."""
