# SPDX-License-Identifier: MIT
"""A window of pyglet with an App in a part of it, and pyglet's text above: python guest_pyglet.py
FOLDER."""

import sys

import numpy as np
import pyglet
from pyglet import gl
from pyglet.window import mouse

import lathe

window = pyglet.window.Window(320, 240, config=gl.Config(major_version=4, minor_version=5))
label = pyglet.text.Label("pyglet's own words", x=20, y=10, color=(255, 255, 0, 255))
app = lathe.App(context="current")
BUTTONS = {mouse.LEFT: "left", mouse.MIDDLE: "middle", mouse.RIGHT: "right"}
wave = app.kernel("""
__global__ void wave(float* h, int n, float time) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) h[i] = 0.5f + 0.5f * sinf(i % 160 * 0.2f + 4 * time); }""")
height = app.zeros((120, 160))


@app.frame
def frame():
    wave.over(height.size)(height, height.size, app.time)
    app.image(height, colormap="viridis", range=(0, 1))


@window.event
def on_draw():
    gl.glClearColor(0.2, 0.0, 0.2, 1.0)
    window.clear()
    gl.glViewport(80, 60, 160, 120)
    app.run(frames=1)
    gl.glViewport(0, 0, 320, 240)
    label.draw()


def tell_place(x, y):
    app.input.move_mouse(x - 80, 180 - y)  # from the top left corner of its part


@window.event
def on_mouse_press(x, y, button, modifiers):
    tell_place(x, y)
    app.input.press_button(BUTTONS[button])


@window.event
def on_mouse_drag(x, y, dx, dy, buttons, modifiers):
    tell_place(x, y)


@window.event
def on_mouse_release(x, y, button, modifiers):
    app.input.release_button(BUTTONS[button])


while app.frames < 5:
    window.switch_to()
    window.dispatch_events()
    if app.frames == 2:  # a user
        window.dispatch_event("on_mouse_press", 100, 100, mouse.LEFT, 0)
        window.dispatch_event("on_mouse_drag", 112, 94, 12, -6, mouse.LEFT, 0)
        window.dispatch_event("on_mouse_release", 112, 94, mouse.LEFT, 0)
    window.dispatch_event("on_draw")
    if app.frames == 5:
        colors = pyglet.image.get_buffer_manager().get_color_buffer()
        colors.save(f"{sys.argv[1]}/guest.png")
        data = colors.get_image_data().get_data("RGB", 320 * 3)
        picture = np.frombuffer(data, np.uint8).reshape(240, 320, 3)
        assert picture[200, 20].tolist() == [51, 0, 51]  # pyglet's
        inside = picture[60:180, 80:240][::-1]
        np.testing.assert_array_equal(inside, app.screenshot())
        words = picture[5:30, 20:200].astype(int)
        assert ((words[..., 0] > 200) & (words[..., 2] < 100)).any()
        x, y = app.pan_zoom_camera.center
        assert x < 0 < y and abs(x + 2 * y) < 1e-6
        assert app.input.mouse == [32, 86] and not app.input.button_down("left")
        print("the picture is right")
    window.flip()
