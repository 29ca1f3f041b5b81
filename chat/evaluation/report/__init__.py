"""What a run comes to, to be read: one HTML file that opens from disk, Markdown, JUnit XML."""
