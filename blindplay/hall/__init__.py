"""The hall: many tables, followed through their journals.

docs/development/hall-protocol.md is its contract.

A table publishes its journal to an MQTT broker (:mod:`.table_side.publisher`) and takes requests
(:mod:`.requests`). The hall keeps a copy of each journal (:mod:`.follower`). No table depends on
it: without a network a table plays on, and the hall catches up later.
"""
