# SPDX-License-Identifier: MIT
"""The solar system from J2000 on: Sun, planets, Moon and 4,500 asteroids (JPL DE421).

Distances are drawn as r**compression, so that Mercury and Neptune fit one picture. Edit nbody.cu
while it runs: give the Sun half its pull and see who leaves.
"""

import csv
from pathlib import Path

import numpy as np

import lathe

AU = 149597870.6996262  # km, DE421
DAY = 86400.0
OBLIQUITY = np.radians(84381.448 / 3600)  # of the ecliptic, J2000
EARTH, MOON = 3, 4  # rows of the table

COLORS = {  # red, green, blue; size in pixels
    "sun": ((1.00, 0.86, 0.55), 26),
    "mercury": ((0.75, 0.70, 0.65), 7),
    "venus": ((1.00, 0.85, 0.60), 10),
    "earth": ((0.40, 0.65, 1.00), 10),
    "moon": ((0.80, 0.80, 0.82), 4),
    "mars": ((1.00, 0.45, 0.28), 8),
    "jupiter": ((0.95, 0.75, 0.55), 16),
    "saturn": ((0.95, 0.85, 0.60), 14),
    "uranus": ((0.55, 0.88, 0.92), 11),
    "neptune": ((0.40, 0.52, 1.00), 11),
    "pluto": ((0.75, 0.62, 0.55), 6),
}
ORBIT_POINTS = 256


def load_bodies(day: float = 0.0):
    """Names, GM (n,), positions (n, 3) km and velocities (n, 3) km/s at J2000 + `day`, float64."""
    file = Path(lathe.resource("assets/data/solar_system.csv"))
    with file.open() as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    rows = [row for row in rows if float(row["jd_tdb"]) == 2451545.0 + day]
    if not rows:
        raise ValueError(f"{file} has no states {day} days after J2000")
    table = np.array([[float(x) for x in list(row.values())[1:]] for row in rows])
    return [row["body"] for row in rows], table[:, 0], table[:, 2:5], table[:, 5:8]


def to_equator(x):
    """Ecliptic axes to those of the ICRF, (n, 3)."""
    c, s = np.cos(OBLIQUITY), np.sin(OBLIQUITY)
    return x @ np.array([[1, 0, 0], [0, c, s], [0, -s, c]])


def kepler_states(gm, a, e, inclination, node, perihelion, anomaly):
    """Positions (km) and velocities (km/s) of orbits around the Sun; angles in radians, a in km."""
    big = anomaly
    for _ in range(12):  # Kepler's equation by Newton's method
        big = big - (big - e * np.sin(big) - anomaly) / (1 - e * np.cos(big))
    x, y = a * (np.cos(big) - e), a * np.sqrt(1 - e * e) * np.sin(big)
    rate = np.sqrt(gm / a) / (1 - e * np.cos(big))
    vx, vy = -rate * np.sin(big), rate * np.sqrt(1 - e * e) * np.cos(big)
    cp, sp, cn, sn = np.cos(perihelion), np.sin(perihelion), np.cos(node), np.sin(node)
    ci, si = np.cos(inclination), np.sin(inclination)
    p = np.stack([cp * cn - sp * sn * ci, cp * sn + sp * cn * ci, sp * si], -1)
    q = np.stack([-sp * cn - cp * sn * ci, -sp * sn + cp * cn * ci, cp * si], -1)
    return (
        to_equator(x[:, None] * p + y[:, None] * q),
        to_equator(vx[:, None] * p + vy[:, None] * q),
    )


def make_asteroids(gm_sun, jupiter, random):
    """A main belt with Kirkwood's gaps, Jupiter's Trojans, a Kuiper belt: states around the Sun."""
    a = random.normal(2.72, 0.32, 9000)
    a = a[(a > 2.08) & (a < 3.5)]
    for gap, width in ((2.50, 0.035), (2.82, 0.03), (2.95, 0.015), (3.27, 0.06)):
        a = a[np.abs(a - gap) > width]
    a = a[:3200]
    longitude_of_jupiter = np.arctan2(*(jupiter @ to_equator(np.eye(3)).T)[[1, 0]])
    trojans = 5.2 + random.normal(0, 0.04, 700)
    kuiper = np.concatenate([np.full(200, 39.4), random.normal(43.8, 1.3, 400)])
    size = np.concatenate([a, trojans, kuiper])
    n = len(size)
    e = np.clip(np.abs(random.normal(0, 0.09, n)), 0, 0.3)
    e[len(a) : len(a) + 700] *= 0.5
    inclination = np.radians(np.abs(random.normal(0, 7, n)))
    node, perihelion, anomaly = random.uniform(0, 2 * np.pi, (3, n))
    camps = longitude_of_jupiter + np.where(np.arange(700) % 5 < 3, 1, -1) * np.pi / 3
    camps = camps + random.normal(0, 0.16, 700)
    at = slice(len(a), len(a) + 700)
    anomaly[at] = camps - node[at] - perihelion[at]
    return kepler_states(gm_sun, size * AU, e, inclination, node, perihelion, anomaly)


def orbit_of(x, v, gm):
    """The osculating ellipse around the Sun as (ORBIT_POINTS, 3) km."""
    h = np.cross(x, v)
    eccentricity = np.cross(v, h) / gm - x / np.linalg.norm(x)
    e = np.linalg.norm(eccentricity)
    a = 1 / (2 / np.linalg.norm(x) - v @ v / gm)
    p = eccentricity / e
    q = np.cross(h, p) / np.linalg.norm(h)
    t = np.linspace(0, 2 * np.pi, ORBIT_POINTS, endpoint=False)[:, None]
    return a * (np.cos(t) - e) * p + a * np.sqrt(1 - e * e) * np.sin(t) * q


def main() -> None:
    app = lathe.App("Solar system", size=(1280, 720), background=(0.004, 0.005, 0.012))
    names, gm, x, v = load_bodies()
    random = np.random.default_rng(2009)
    belt_x, belt_v = make_asteroids(gm[0], x[names.index("jupiter")] - x[0], random)
    count, massive = len(belt_x), len(names)

    bodies_x, bodies_v = app.asarray(x, name="x"), app.asarray(v, name="v")
    asteroids_x = app.asarray(belt_x + x[0], name="asteroids_x")
    asteroids_v = app.asarray(belt_v + v[0], name="asteroids_v")
    mass = app.asarray(gm, name="gm")
    stages = app.zeros((64, 4, massive, 3), np.float64, name="stages")
    planets = [i for i in range(1, massive) if i != MOON]
    orbits = [orbit_of(x[i] - x[0], v[i] - v[0], gm[0] + gm[i]) for i in planets]
    orbits_x = app.asarray(np.concatenate(orbits), name="orbits_x")
    origin = app.zeros(3, np.float64, name="origin")
    shown_bodies = app.zeros((massive, 3), name="shown_bodies")
    shown_asteroids = app.zeros((count, 3), name="shown_asteroids")
    shown_orbits = app.zeros(orbits_x.shape, name="shown_orbits")
    tone = random.uniform(0.45, 1.0, (count, 1)) * np.array([[0.62, 0.52, 0.42, 0.55]])
    tone[-600:] *= [0.6, 0.85, 1.3, 0.8]
    tones = app.asarray(np.clip(tone, 0, 1), np.float32, name="tones")

    advance_massive = app.kernel("nbody.cu", "advance_massive")
    advance_particles = app.kernel("nbody.cu", "advance_particles")
    place = app.kernel("nbody.cu", "place")

    app.use_camera("orbit")
    camera = app.orbit_camera
    camera.up, camera.distance, camera.pitch, camera.yaw = "z", 8.2, 0.62, 0.4
    if not hasattr(app.state, "days"):
        app.state.days = 0.0

    @app.init
    def begin() -> None:
        app.state.days = 0.0

    @app.frame
    def frame() -> None:
        days = app.param("days_per_frame", 2.0, 0.25, 16.0, log=True)
        turning = app.param("turn", True)
        steps = max(1, min(64, round(days * 2)))
        dt = days * DAY / steps
        advance_massive[1, 32](
            bodies_x, bodies_v, mass, stages, massive, EARTH, MOON, steps, dt
        )  # relativity and oblateness are ticks in the panel
        advance_particles.over(count, 128)(
            asteroids_x, asteroids_v, mass, stages, count, massive, steps, dt
        )
        app.state.days += days
        place.over(massive)(bodies_x, bodies_x, shown_bodies, massive)
        place.over(count)(asteroids_x, bodies_x, shown_asteroids, count)
        place.over(len(orbits_x))(orbits_x, origin, shown_orbits, len(orbits_x))

        for k, i in enumerate(planets):
            line = shown_orbits[k * ORBIT_POINTS : (k + 1) * ORBIT_POINTS]
            app.lines(line, color=(*COLORS[names[i]][0], 0.28), closed=True)
        app.points(shown_asteroids, colors=tones, size=2.2, blend="additive")
        for i, name in enumerate(names):
            color, size = COLORS[name]
            point = shown_bodies[i : i + 1]
            if name == "sun":
                for glow, light in ((64, 0.25), (44, 0.5)):
                    app.points(point, color=color, size=glow, opacity=light, blend="additive")
            else:
                app.points(point, color=color, size=3.0 * size, opacity=0.22, blend="additive")
            app.points(point, color=(*color, 1.0), size=size, blend="alpha")
        if turning:
            camera.yaw += 0.003
        app.caption(f"J2000 + {app.state.days:.0f} days")

    app.run()


if __name__ == "__main__":
    main()
