"""The command line: the library's main jobs for files, one subcommand each."""
