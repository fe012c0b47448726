#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes assets/data/solar_system.csv from JPL's DE421; run by hand, to check or remake the table.

Needs two packages beyond the project's own:  .venv/bin/pip install jplephem==2.24 de421==2008.1
`de421` holds the Chebyshev coefficients and constants of DE421, `jplephem` evaluates them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

EPOCHS = (2451545.0, 2451545.0 + 365.0)  # J2000.0 and 365 days later, TDB
SECONDS_A_DAY = 86400.0

HEADER = """\
# Sun, planets, Moon and Pluto: barycentric positions and velocities, ICRF axes (equator of J2000).
# Source: JPL DE421 (W. M. Folkner, J. G. Williams, D. H. Boggs: The Planetary and Lunar Ephemeris
#   DE 421, IPN Progress Report 42-178, Jet Propulsion Laboratory, 2009). Of Jupiter to Pluto and of
#   Mars the barycentre of the planet with its moons; gm_km3_s2 from the constants of DE421.
# Extracted by tools/make_ephemeris.py with jplephem 2.24 and de421 2008.1.
# jd_tdb: Julian date (TDB); positions in km, velocities in km/s.
"""
COLUMNS = "body,gm_km3_s2,jd_tdb,x_km,y_km,z_km,vx_km_s,vy_km_s,vz_km_s\n"


def main() -> int:
    import de421
    from jplephem import Ephemeris

    de = Ephemeris(de421)
    moon_share = 1.0 / (1.0 + de.EMRAT)
    unit = de.AU**3 / SECONDS_A_DAY**2
    gm = {
        "sun": de.GMS,
        "mercury": de.GM1,
        "venus": de.GM2,
        "earth": de.GMB * (1.0 - moon_share),
        "moon": de.GMB * moon_share,
        "mars": de.GM4,
        "jupiter": de.GM5,
        "saturn": de.GM6,
        "uranus": de.GM7,
        "neptune": de.GM8,
        "pluto": de.GM9,
    }

    def state(body: str, jd: float) -> np.ndarray:
        """Position (km) and velocity (km/s), shape (6,), float64."""
        if body in ("earth", "moon"):  # DE421 gives their barycentre, and the Moon from the Earth
            pair, moon = (np.ravel(de.position_and_velocity(n, jd)) for n in ("earthmoon", "moon"))
            both = pair + moon * (1.0 - moon_share if body == "moon" else -moon_share)
        else:
            both = np.ravel(de.position_and_velocity(body, jd))
        both[3:] /= SECONDS_A_DAY
        return both

    lines = [
        ",".join(
            [body, repr(float(gm[body] * unit)), repr(jd)]
            + [repr(float(x)) for x in state(body, jd)]
        )
        for jd in EPOCHS
        for body in gm
    ]
    out = Path(__file__).resolve().parent.parent / "assets" / "data" / "solar_system.csv"
    out.write_text(HEADER + COLUMNS + "\n".join(lines) + "\n")
    print(f"wrote {len(lines)} states to {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
