"""README and docs: links, snippets, commands."""
