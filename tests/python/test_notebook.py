# SPDX-License-Identifier: MIT
"""Apps as cells of notebooks, in a kernel of Jupyter's with a page that this test plays."""

import base64
import io
import json
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("anywidget")
manager = pytest.importorskip("jupyter_client.manager")

ROOT = Path(__file__).parents[2]

APP = """
import json, lathe, numpy as np
app = lathe.App("cells", size=(96, 64))
app.image(np.full((4, 4, 3), 0.5, np.float32))
app
"""
KERNEL = """
paint = app.kernel('''__global__ void paint(float* p, float time) {
    p[threadIdx.x] = %s; }''')
"""
FRAME = """
p = app.zeros((1, 1), name="p")
@app.frame
def frame(step):
    paint[1, 1](p, np.float32(step.time))
    app.image(p, range=(0, 1), colormap="gray")
"""


class Notebook:
    """A kernel, its cells, and the page that shows them."""

    def __init__(self, folder):
        self.manager, self.client = manager.start_new_kernel(kernel_name="python3", cwd=str(folder))
        self.model = None
        self.sizes = []
        self.words = []
        self.picture = None
        self.frames = 0
        self.told = ""  # errors, wherever they stand

    def execute(self, code):
        """Outputs of a cell; raises what it raised."""
        message = self.client.execute(code)
        outputs = []
        while True:
            answer = self.client.get_iopub_msg(timeout=60)
            self._look(answer)
            if answer["parent_header"].get("msg_id") != message:
                continue
            kind, content = answer["msg_type"], answer["content"]
            if kind == "error":
                raise RuntimeError("\n".join(content["traceback"]))
            if kind in ("execute_result", "display_data", "stream"):
                outputs.append(content)
            if kind == "status" and content["execution_state"] == "idle":
                return outputs

    def value(self, expression):
        """Of an expression, as text; the kernel may send it in pieces."""
        outputs = self.execute(f"print({expression})")
        return "".join(o["text"] for o in outputs if o.get("name") == "stdout").strip()

    def _look(self, message):
        content = message["content"]
        if message["msg_type"] == "stream" and content["name"] == "stderr":
            self.told += content["text"]
        if message["msg_type"] == "comm_open" and "size" in content["data"].get("state", {}):
            self.model = content["comm_id"]
        if message["msg_type"] != "comm_msg" or content["comm_id"] != self.model:
            return
        data = content["data"]
        if data.get("method") != "custom":
            return
        if "text" in data["content"]:
            self.words.append(data["content"]["text"])
            return
        jpeg = bytes(message["buffers"][0])[16:]
        number = int.from_bytes(bytes(message["buffers"][0])[4:8], "little")
        self.picture = np.asarray(Image.open(io.BytesIO(jpeg)).convert("L")) / 255
        self.frames += 1
        self.say(text=f"shown {number}")

    def say(self, **content):
        """What the page's script tells the widget."""
        message = self.client.session.msg(
            "comm_msg",
            {"comm_id": self.model, "data": {"method": "custom", "content": content}},
        )
        self.client.shell_channel.send(message)

    def see_until(self, is_so, seconds=20):
        end = time.monotonic() + seconds
        while self.picture is None or not is_so(self.picture[32, 48]):
            assert time.monotonic() < end, (self.picture, self.words)
            try:
                self._look(self.client.get_iopub_msg(timeout=0.5))
            except Exception:  # queue.Empty: nothing came
                continue

    def wait_for_step(self, least, seconds=20):
        """The App's step, once it has come so far: a picture of step 0 is there before step 1."""
        end = time.monotonic() + seconds
        while (step := int(self.value("app.step"))) < least:
            assert time.monotonic() < end, (step, self.words)
        return step

    def close(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def notebook(tmp_path):
    made = Notebook(tmp_path)
    yield made
    made.close()


def test_a_cell_is_live_edited_and_found_again(notebook):
    (shown,) = notebook.execute(APP)
    data = shown["data"]
    assert "application/vnd.jupyter.widget-view+json" in data
    notebook.say(begin=True)
    notebook.see_until(lambda tone: abs(tone - 0.5) < 0.03)
    # Cells after it change what is seen.
    notebook.execute(KERNEL % "0.25f")
    notebook.execute(FRAME)
    notebook.see_until(lambda tone: abs(tone - 0.25) < 0.03)
    # The kernel's cell with another source: the run goes on.
    step = notebook.wait_for_step(3)
    notebook.execute(KERNEL % "0.75f")
    notebook.see_until(lambda tone: abs(tone - 0.75) < 0.03)
    assert int(notebook.value("app.step")) > step
    # The App's cell once more finds the App.
    before = notebook.value("id(app)")
    notebook.execute(APP)
    assert notebook.value("id(app)") == before
    notebook.see_until(lambda tone: abs(tone - 0.5) < 0.03)
    # A still stands beside the widget, for pages without a kernel.
    data = notebook.execute("app")[0]["data"]
    still = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    assert still.size == (96, 64)


def test_a_page_that_is_loaded_again_sees_the_cell(notebook):
    notebook.execute(APP)
    notebook.say(begin=True)
    notebook.see_until(lambda tone: abs(tone - 0.5) < 0.03)
    notebook.picture = None
    notebook.say(begin=True)
    notebook.see_until(lambda tone: abs(tone - 0.5) < 0.03)
    notebook.say(text="nonsense")
    notebook.say(text="size 200 100 1")
    notebook.execute("import asyncio; await asyncio.sleep(0.5)")
    assert notebook.value("app.size") == "(200, 100)"


def test_mistakes_are_told_below_the_cell(notebook):
    notebook.execute(APP)
    notebook.execute(KERNEL % "0.25f")
    notebook.execute(FRAME)

    wait = "import asyncio; await asyncio.sleep(0.7)"
    notebook.execute(wait)
    assert notebook.told == ""
    notebook.execute(KERNEL % "nonsense")
    notebook.execute(wait)
    assert 'identifier "nonsense" is undefined' in notebook.told
    assert "on purpose" not in notebook.told
    notebook.execute(FRAME + "    raise RuntimeError('on purpose')")
    notebook.execute(wait)
    assert "RuntimeError: on purpose" in notebook.told


def test_a_slow_app_keeps_up_with_the_mouse(notebook):
    notebook.execute(APP)
    notebook.say(begin=True)
    notebook.see_until(lambda tone: abs(tone - 0.5) < 0.03)
    notebook.execute("""
import time
seen = []
@app.frame
def frame(step):
    time.sleep(0.1)
    seen.append(app.input.mouse[0])
    app.image(np.full((4, 4, 3), 0.5, np.float32))
""")
    for x in range(1, 61):  # a drag of a second
        notebook.say(text=f"move {x} 20")
    time.sleep(1.5)
    seen = json.loads(notebook.value("json.dumps([float(x) for x in seen])"))
    assert 60.0 in seen, seen
    moving = [x for x in seen if 0 < x < 60]
    assert len(moving) < 8, "a few frames have all that came meanwhile"


def test_an_app_at_rest_costs_little(notebook):
    notebook.execute(APP)
    notebook.say(begin=True)
    notebook.see_until(lambda tone: abs(tone - 0.5) < 0.03)
    notebook.execute("import asyncio; await asyncio.sleep(1)")
    notebook.execute("n = app.frames; await asyncio.sleep(2.5)")
    assert int(notebook.value("app.frames - n")) < 75  # of 150


def test_two_apps_are_two_cells(notebook):
    notebook.execute(APP)
    first = notebook.model
    notebook.execute(APP.replace('"cells"', '"others"').replace("0.5", "0.25").replace("app", "b"))
    assert notebook.model != first
    notebook.say(begin=True)
    notebook.see_until(lambda tone: abs(tone - 0.25) < 0.03)


def test_the_notebooks_of_the_manual_run(tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    files = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
    assert files
    for file in files:
        written = nbformat.read(file, as_version=4)
        assert not any(cell.get("outputs") for cell in written.cells), f"{file}: outputs are kept"
        place = {"metadata": {"path": str(tmp_path)}}
        nbclient.NotebookClient(written, timeout=120, resources=place).execute()
        shown = json.dumps([cell.get("outputs") for cell in written.cells])
        assert "stderr" not in shown
        assert "application/vnd.jupyter.widget-view+json" in shown
