# SPDX-License-Identifier: MIT
"""Two widgets of Qt with an App each, Qt's painter above, drags, a resize: python guest_qt.py
FOLDER."""

import math
import sys

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QSurfaceFormat
from PySide6.QtOpenGLWidgets import QOpenGLWidget
from PySide6.QtWidgets import QApplication

import lathe

BUTTONS = {Qt.LeftButton: "left", Qt.RightButton: "right", Qt.MiddleButton: "middle"}


class View(QOpenGLWidget):
    def initializeGL(self):
        self.app = lathe.App(context="current")
        waves, places = self.app.kernel(WAVES), self.app.zeros((64 * 64, 3))

        @self.app.frame
        def step():
            waves.over(64 * 64)(places, 64, self.app.time)
            self.app.points(places, size=3)

        self.frameSwapped.connect(self.update)  # the next frame
        self.context().aboutToBeDestroyed.connect(self.leave)

    def paintGL(self):
        self.app.run(frames=1)
        painter = QPainter(self)
        painter.setPen(Qt.white)
        painter.drawText(10, 20, "Qt writes above it.")
        painter.end()

    def leave(self):
        self.makeCurrent()
        self.app = None
        self.doneCurrent()

    def mouseMoveEvent(self, event):
        place = event.position() * self.devicePixelRatio()
        self.app.input.move_mouse(place.x(), place.y())

    def mousePressEvent(self, event):
        self.mouseMoveEvent(event)
        if button := BUTTONS.get(event.button()):
            self.app.input.press_button(button)

    def mouseReleaseEvent(self, event):
        if button := BUTTONS.get(event.button()):
            self.app.input.release_button(button)

    def wheelEvent(self, event):
        self.mouseMoveEvent(event)
        turned = event.angleDelta()  # 120 is a notch
        self.app.input.scroll(turned.x() / 120, turned.y() / 120)


surface = QSurfaceFormat()
surface.setVersion(4, 5)
surface.setProfile(QSurfaceFormat.CoreProfile)
QSurfaceFormat.setDefaultFormat(surface)
application = QApplication(sys.argv)

WAVES = """
__global__ void waves(float3* places, int side, float time) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= side * side) return;
    float x = 2.0f * (i % side) / side - 1, z = 2.0f * (i / side) / side - 1;
    places[i] = make_float3(x, 0.2f * sinf(6 * sqrtf(x * x + z * z) - 3 * time), z);
}"""

# What follows looks at two such widgets, beside one without Lathe.

import numpy as np  # noqa: E402
from PySide6.QtCore import QEvent, QPoint, QPointF  # noqa: E402
from PySide6.QtGui import QColor, QImage, QLinearGradient, QMouseEvent, QWheelEvent  # noqa: E402
from PySide6.QtWidgets import QHBoxLayout, QWidget  # noqa: E402

LABEL = (10, 30, 120, 60)


def paint_label(widget):
    """Opaque: the same whatever is below."""
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.Antialiasing)
    fade = QLinearGradient(0, 0, 120, 0)
    fade.setColorAt(0, QColor(200, 0, 0))
    fade.setColorAt(1, QColor(0, 0, 200))
    painter.fillRect(*LABEL, fade)
    painter.setPen(QColor(255, 255, 0))
    painter.drawText(20, 50, "Qt's own words")
    painter.setClipRect(20, 60, 60, 20)
    painter.drawEllipse(20, 55, 80, 30)
    painter.end()


class Labelled(View):
    def paintGL(self):
        super().paintGL()
        paint_label(self)


class Plain(QOpenGLWidget):
    def paintGL(self):
        paint_label(self)


def pixels(widget):
    image = widget.grabFramebuffer().convertToFormat(QImage.Format_RGB888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), -1)
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()


def look_at(view):
    """Lathe's picture beside the words, Qt's label as without Lathe."""
    picture, ratio = pixels(view), round(view.devicePixelRatio())
    assert view.app.size == (picture.shape[1], picture.shape[0])
    assert view.app.size == (view.width() * ratio, view.height() * ratio)
    lathes = view.app.screenshot()
    np.testing.assert_array_equal(picture[100 * ratio :], lathes[100 * ratio :])
    assert (lathes[100 * ratio :] > 100).any()
    x, y, width, height = (each * ratio for each in LABEL)
    label = np.s_[y : y + height, x : x + width]
    np.testing.assert_array_equal(picture[label], pixels(plain)[label])
    assert len(np.unique(picture[label].reshape(-1, 3), axis=0)) > 50


def some_frames():
    for _ in range(5):
        application.processEvents()


def mouse(view, kind, place, button=Qt.NoButton):
    place = QPointF(*place)
    held = Qt.LeftButton if kind == QEvent.MouseMove else Qt.NoButton
    event = QMouseEvent(kind, place, view.mapToGlobal(place), button, held, Qt.NoModifier)
    application.sendEvent(view, event)


window = QWidget()
layout = QHBoxLayout(window)
first, second, plain = Labelled(), Labelled(), Plain()
for each in (first, second, plain):
    layout.addWidget(each)
window.resize(720, 240)
window.show()
some_frames()
for view in (first, second):
    look_at(view)

yaw, height = first.app.orbit_camera.yaw, first.app.size[1]
mouse(first, QEvent.MouseButtonPress, (50, 150), Qt.LeftButton)
mouse(first, QEvent.MouseMove, (80, 150))
some_frames()
mouse(first, QEvent.MouseButtonRelease, (80, 150), Qt.LeftButton)
mouse(first, QEvent.MouseButtonPress, (20, 150), Qt.LeftButton)  # far off: no jump
some_frames()
turned = math.pi * 30 * first.devicePixelRatio() / height
assert math.isclose(yaw - first.app.orbit_camera.yaw, turned, rel_tol=1e-4)
assert second.app.orbit_camera.yaw == yaw
turned, distance = QPoint(0, 60), second.app.orbit_camera.distance  # half a notch
wheel = [QPointF(50, 150), second.mapToGlobal(QPointF(50, 150)), QPoint(), turned]
wheel += [Qt.NoButton, Qt.NoModifier, Qt.NoScrollPhase, False]
application.sendEvent(second, QWheelEvent(*wheel))
some_frames()
assert math.isclose(second.app.orbit_camera.distance, distance / 1.1**0.5, rel_tol=1e-5)
look_at(first)
application.primaryScreen().grabWindow(0).save(f"{sys.argv[1]}/guest_qt.png")

window.resize(900, 300)
some_frames()
for view in (first, second):
    look_at(view)

frames = second.app.frames
first.setParent(None)  # a window of its own: another context, another App
first.resize(300, 200)
first.show()
some_frames()
assert first.app.frames < frames < second.app.frames
for view in (first, second):
    look_at(view)
first.close()
window.close()
print("the pictures are right")
