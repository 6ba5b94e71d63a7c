"""The kit as a stranger has it: installed from its wheel, judging a package that is not ours."""
