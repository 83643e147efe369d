"""The power supply of this machine: mains or a battery, and how full that is."""

import ctypes
import sys
from pathlib import Path

_SUPPLIES = Path("/sys/class/power_supply")


def power(supplies: Path = _SUPPLIES) -> tuple[str, int | None]:
    """``mains`` or ``battery``, and how full the battery is in percent; None without one. An empty
    text if the system does not say. ``supplies`` is where Linux tells it."""
    if sys.platform == "win32":
        return _of_windows()
    try:
        found = [_read(one) for one in sorted(supplies.iterdir())]
    except OSError:
        return "", None
    batteries = [one for one in found if one.get("type") == "Battery" and not one.get("scope")]
    if not batteries:
        return "mains" if found else "", None
    full = batteries[0].get("capacity", "")
    discharges = any(one.get("status") == "Discharging" for one in batteries)
    return "battery" if discharges else "mains", int(full) if full.isdigit() else None


def _read(supply: Path) -> dict[str, str]:
    """Return the properties of a supply, by name. A device that is plugged in, such as a mouse, has
    a scope."""
    told = {}
    for name in ("type", "scope", "status", "capacity"):
        try:
            told[name] = (supply / name).read_text("ascii", "replace").strip()
        except OSError:
            continue
    return told


class _PowerStatus(ctypes.Structure):
    _fields_ = (
        ("mains", ctypes.c_ubyte), ("flag", ctypes.c_ubyte), ("percent", ctypes.c_ubyte),
        ("saver", ctypes.c_ubyte), ("left", ctypes.c_ulong), ("whole", ctypes.c_ulong),
    )  # fmt: skip


def _of_windows() -> tuple[str, int | None]:
    if sys.platform != "win32":
        return "", None
    status = _PowerStatus()
    if not ctypes.windll.kernel32.GetSystemPowerStatus(ctypes.byref(status)):
        return "", None
    known = {0: "battery", 1: "mains"}.get(status.mains, "")
    return known, status.percent if status.percent <= 100 else None
