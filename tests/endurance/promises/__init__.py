"""The promises of docs/development/promises.md, attacked from outside: BlindPlay is processes,
typed lines, pages, files and lines of a network here, and none of its modules is imported."""
