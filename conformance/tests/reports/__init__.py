"""The forms of a report, the command line that writes them, and failures played again."""
