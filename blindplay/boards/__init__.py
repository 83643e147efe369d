"""Tactile and sensor boards: wire protocol, driver, emulator, tracker and monitor."""
