"""The commands, a module a group; ``cli`` puts them together."""
