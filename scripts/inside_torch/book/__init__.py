"""What the pages are: articles, fences, recordings, languages, and the rules that they keep."""
