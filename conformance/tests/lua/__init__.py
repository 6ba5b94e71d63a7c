"""The scripts as text, and what they do first and last."""
