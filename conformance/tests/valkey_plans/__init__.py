"""Plans of verbs, driven without a server."""
