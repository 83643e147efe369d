"""Tactile and sensor boards: wire protocol, driver, emulator and monitor."""
