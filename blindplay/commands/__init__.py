"""The command line, one module per group of commands: parse options, call one function, print.

:mod:`blindplay.cli` imports a module only when one of its commands is run or explained. Modules
that take long to import are imported inside the functions that need them.
"""
