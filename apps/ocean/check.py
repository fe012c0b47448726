# SPDX-License-Identifier: MIT
"""Dispersion, Parseval's sums, Pierson and Moskowitz's wave heights, and slopes, beside numbers."""

import functools
from pathlib import Path

import numpy as np
from ocean import GRAVITY, OPTIONS, Patch, energy, moment
from scipy.special import gamma

import lathe
from lathe.checks import Report

HERE = Path(__file__).resolve().parent
EVERYTHING = (0.0, 1e9)  # wave numbers


@functools.cache
def kernel(entry):
    return lathe.kernel(HERE / "ocean.cu", entry, options=OPTIONS)


def patch_of(n, length, seed=2001):
    """The experiment's own kernels."""
    return Patch(n, length, EVERYTHING, lathe.asarray, kernel, seed)


def vectors(n, length):
    """kx and kz (n, n), in the order of a transform."""
    k = 2 * np.pi * np.fft.fftfreq(n, 1 / n) / length
    return np.meshgrid(k, k)


def only(patch, x, z, amplitude):
    """A patch with a single wave, whose crest is at the origin at first."""
    a = np.zeros((patch.n, patch.n), np.complex64)
    a[z, x] = amplitude
    patch._a.set(a)


def check_dispersion(report):
    """Phases of single waves, watched for 100 s, tell their omega."""
    n, length, seconds = 64, 200.0, 100.0
    patch, worst, size = patch_of(n, length), 0.0, 0.0
    for x, z in [(1, 0), (3, 4), (0, 7), (-9, 2), (20, -17)]:
        only(patch, x, z, 0.5)
        k = 2 * np.pi / length * np.hypot(x, z)
        omega = np.sqrt(GRAVITY * k)
        # Often enough that a phase is known to less than half a turn.
        times = np.linspace(0, seconds, 2 * int(seconds * omega / np.pi) + 2)
        waves = []
        for time in times:
            heights = patch.fields(time).get()[0].astype(float)
            waves.append(np.fft.fft2(heights)[z, x] * 2 / n**2)
        # exp(-i omega t): it goes to where k points to.
        phases = np.unwrap(np.angle(waves))
        found = (phases[0] - phases[-1]) / seconds
        worst = max(worst, abs(found**2 / (GRAVITY * k) - 1))
        size = max(size, abs(np.abs(waves) / 0.5 - 1).max())
    report.within("omega^2 of single waves differs from g k by, in parts of it", worst, 1e-6)
    report.within("their heights differ from their amplitudes by, in parts", size, 1e-5)


def check_group(report):
    """A group of waves runs at half the speed of its crests, as deep water's do."""
    n, length = 256, 1000.0
    patch = patch_of(n, length)
    bins = np.arange(24, 57)
    a = np.zeros((n, n), np.complex64)
    a[0, bins] = np.exp(-0.5 * ((bins - 40) / 5) ** 2)
    patch._a.set(a)
    k = 2 * np.pi / length * 40

    def middle(time):
        heights = patch.fields(time).get()[0, 0].astype(float)
        square = heights**2
        turn = np.exp(2j * np.pi * np.arange(n) / n)
        return np.angle((square * turn).sum()) / (2 * np.pi) * length

    seconds = 60.0
    speed = ((middle(seconds) - middle(0)) % length) / seconds
    report.within("a group of waves runs at (g / k)^(1/2) / 2, but for, in parts",
                  abs(speed / (0.5 * np.sqrt(GRAVITY / k)) - 1), 0.03)  # fmt: skip


def check_fields(report, wind):
    """Sums over the waves and over the water are the same; slopes are those of the heights."""
    n, length = 128, 400.0
    patch = patch_of(n, length)
    a = patch.amplitudes(wind).get().astype(complex)
    heights, dx, dz, sx, sz, xx, zz, xz = patch.fields(7.5).get().astype(float)
    kx, kz = vectors(n, length)
    k = np.hypot(kx, kz)
    # By hand, in double precision: each wave, and the one that runs against it.
    omega = np.sqrt(GRAVITY * k)
    back = np.conj(np.roll(a[::-1, ::-1], 1, (0, 1)))
    wave = (a * np.exp(-7.5j * omega) + back * np.exp(7.5j * omega)) / 2
    report.within("Parseval: the mean of h^2 differs from the sum over waves by, in parts",
                  abs((heights**2).mean() / (abs(wave) ** 2).sum() - 1), 1e-5)  # fmt: skip
    report.within("heights differ from NumPy's inverse transform by, in parts of the largest",
                  abs(heights - np.fft.ifft2(wave).real * n * n).max() / abs(heights).max(),
                   2e-5)  # fmt: skip
    # The others from the heights by NumPy's transforms.
    spectrum = np.fft.fft2(heights)
    safe = np.where(k > 0, k, 1)
    for names, found, factor in (
        ("moves along x and z", (dx, dz), (1j * kx / safe, 1j * kz / safe)),
        ("slopes along x and z", (sx, sz), (1j * kx, 1j * kz)),
        ("changes of the moves", (xx, zz, xz),
         (-(kx**2) / safe, -(kz**2) / safe, -kx * kz / safe)),
    ):  # fmt: skip
        worst = 0.0
        for here, by in zip(found, factor, strict=True):
            there = np.fft.ifft2(by * spectrum).real
            worst = max(worst, abs(here - there).max() / abs(there).max())
        report.within(f"{names} differ from those of the heights by, in parts of the largest",
                      worst, 5e-5)  # fmt: skip


def check_surface(report):
    """One wave: the moved surface is Gerstner's trochoid, which folds where k a is above 1."""
    n, length, amplitude = 128, 100.0, 2.0
    patch = patch_of(n, length)
    only(patch, 3, 0, amplitude)
    k = 2 * np.pi * 3 / length
    patch.fields(0.0)
    moved, tilt = (x.get().astype(float) for x in patch.surface(1.0))
    x = np.arange(n) * length / n
    trochoid = np.array([x - amplitude * np.sin(k * x), amplitude * np.cos(k * x)])
    here = np.array([x + moved[0, :, 0], moved[0, :, 1]])
    report.within("a single wave differs from a trochoid by, in parts of its height",
                  abs(here - trochoid).max() / amplitude, 1e-5)  # fmt: skip
    slope = -k * amplitude * np.sin(k * x) / (1 - k * amplitude * np.cos(k * x))
    report.within("its slopes differ from the trochoid's by", abs(tilt[0, :, 0] - slope).max(),
                  1e-4)  # fmt: skip
    for steep, folds in ((0.95, 0), (1.05, 1)):
        only(patch, 3, 0, steep / k)
        patch.fields(0.0)
        patch.foam.fill(0)
        foam = patch.surface(1.0, 0.0)[0].get()[..., 3]
        report.within(f"a wave of k a = {steep} has foam where it should have "
                      f"{'some' if folds else 'none'}: wrong by",
                      abs(int(foam.max() > 0) - folds), 0)  # fmt: skip


def check_heights(report, seas):
    """Hs, four standard deviations, beside Pierson and Moskowitz's 0.21 U^2 / g.

    A patch lacks waves longer than itself, and those too short for its cells. Its energy is that of
    finitely many waves, each of which is exponentially distributed. Three standard deviations of
    the mean of all seas are allowed, and what is lacking.
    """
    n, length = report.setting("cells", 256), 1200.0
    cell = 2 * np.pi / length
    for speed in (8.0, 12.0):
        height = 0.21 * speed**2 / GRAVITY
        energy_of_all = moment(speed, 1.0, EVERYTHING)
        report.within(f"wind {speed:.0f} m/s: Hs of the whole spectrum differs from 0.21 U^2/g by, "
                      "in parts", abs(4 * np.sqrt(energy_of_all) / height - 1), 0.005)  # fmt: skip
        lacks = 1 - moment(speed, 1.0, (cell, np.pi * n / length)) / energy_of_all
        found = []
        for seed in range(seas):
            patch = patch_of(n, length, seed)
            patch.amplitudes((speed, 0.5, 1.0))
            found.append(patch.fields(20.0).get()[0].astype(float).var())
        patch.noise.set(np.ones((n, n, 2), np.float32))
        expected = abs(patch.amplitudes((speed, 0.5, 1.0)).get()) ** 2 / 2
        spread = np.sqrt((expected**2).sum() / seas) / expected.sum()
        report.within(f"wind {speed:.0f} m/s: Hs of {seas} seas differs from 0.21 U^2/g by, in "
                      "parts", abs(4 * np.sqrt(np.mean(found)) / height - 1),
                      0.005 + (3 * spread + lacks) / 2)  # fmt: skip


def check_spectrum(report):
    """Energies of the waves beside the formulas, and JONSWAP's beside Pierson and Moskowitz's."""
    n, length = 256, 1200.0
    noise = np.ones((n, n, 2), np.float32)  # |a|^2 is twice what is expected of half of it
    patch = patch_of(n, length)
    patch.noise.set(noise)
    kx, kz = vectors(n, length)
    k = np.hypot(kx, kz)
    cell = 2 * np.pi / length
    inside = (k > 0) & (kx > -np.pi * n / length) & (kz > -np.pi * n / length)
    omega = np.sqrt(GRAVITY * np.where(inside, k, 1))
    for speed, peak in ((10.0, 1.0), (10.0, 3.3)):
        found = abs(patch.amplitudes((speed, 0.7, peak)).get().astype(complex)) ** 2 / 2
        ratio = omega * speed / (0.8772 * GRAVITY)
        s = np.where(ratio < 1, 6.97 * ratio**4.06, 9.77 * ratio**-2.33)
        angle = np.arctan2(kz, kx) - 0.7
        with np.errstate(over="ignore", invalid="ignore"):
            spread = gamma(s + 1) / gamma(s + 0.5) / (2 * np.sqrt(np.pi))
        spread = spread * np.abs(np.cos(angle / 2)) ** (2 * s)
        wanted = energy(omega, speed, peak) * GRAVITY / (2 * omega) / k.clip(1e-9) * spread
        wanted = np.where(inside, wanted, 0) * cell**2
        report.within(f"peak {peak}: energies of single waves differ by, in parts of the largest",
                      abs(found - wanted).max() / wanted.max(), 3e-3)  # fmt: skip
        report.within(f"peak {peak}: their sum differs from the spectrum's integral by, in parts",
                      abs(found.sum() / moment(speed, peak, (cell, np.pi * n / length)) - 1),
                      0.03)  # fmt: skip
    ratio = moment(10.0, 3.3, EVERYTHING) / moment(10.0, 1.0, EVERYTHING)
    report.within("JONSWAP's energy differs from 1 / (1 - 0.287 ln 3.3) times the other by, in "
                  "parts", abs(ratio * (1 - 0.287 * np.log(3.3)) - 1), 0.01)  # fmt: skip


def check(report: Report) -> None:
    seas = report.setting("seas", 32)
    check_dispersion(report)
    check_group(report)
    check_fields(report, (11.0, -1.0, 1.0))
    check_surface(report)
    check_spectrum(report)
    check_heights(report, seas)
