// SPDX-License-Identifier: MIT
// One who looks: draws the frames of an App into an element, and tells what hands do there. The page
// of `lathe serve` and the cell of a notebook both use it; each brings a line of its own.
//
//   const viewer = makeViewer(element, { send(text), sendBytes(bytes) /* of files; a promise */ });
//   viewer.receive(data);   // what came: text, or an ArrayBuffer with a frame
//   viewer.begin();         // the line stands: says the size, and who looks
//   viewer.lose(words);     // the line is gone
//
// Messages are told in engine/broadcast/client_message.h and broadcast.h.

const KEYS = {
  Space: 32, Quote: 39, Comma: 44, Minus: 45, Period: 46, Slash: 47, Semicolon: 59, Equal: 61,
  BracketLeft: 91, Backslash: 92, BracketRight: 93, Backquote: 96, Escape: 256, Enter: 257,
  Tab: 258, Backspace: 259, Insert: 260, Delete: 261, ArrowRight: 262, ArrowLeft: 263,
  ArrowDown: 264, ArrowUp: 265, PageUp: 266, PageDown: 267, Home: 268, End: 269, CapsLock: 280,
  NumpadDecimal: 330, NumpadDivide: 331, NumpadMultiply: 332, NumpadSubtract: 333, NumpadAdd: 334,
  NumpadEnter: 335, NumpadEqual: 336, ShiftLeft: 340, ControlLeft: 341, AltLeft: 342,
  MetaLeft: 343, ShiftRight: 344, ControlRight: 345, AltRight: 346, MetaRight: 347,
  ContextMenu: 348,
};
const BUTTONS = ["left", "middle", "right"];
const PIECE = 1 << 18; // bytes of a file in a message
const LINE = 100 / 3; // pixels of a wheel's line
const STYLE = `
.lathe-view { display: flex; flex-direction: column; background: #08080a; }
.lathe-view .lathe-stage { position: relative; flex: 1; min-height: 0; overflow: hidden;
  touch-action: none; }
.lathe-view .lathe-tabs { display: none; gap: 2px; padding: 3px 6px 0; background: #1d2026;
  font: 13px system-ui, sans-serif; overflow-x: auto; }
.lathe-view .lathe-tabs button { font: inherit; color: #a0a5ad; background: none; border: 0;
  border-radius: 4px 4px 0 0; padding: 4px 10px; cursor: pointer; white-space: nowrap; }
.lathe-view .lathe-tabs button[aria-selected=true] { color: #e6e8eb; background: #2b3038; }
.lathe-view .lathe-tabs button:hover { color: #ffffff; }
.lathe-view canvas { display: block; width: 100%; height: 100%; outline: none; }
.lathe-view textarea { position: absolute; left: 0; top: 0; width: 1px; height: 1px; opacity: 0;
  border: 0; padding: 0; resize: none; }
.lathe-view .lathe-note { position: absolute; left: 50%; top: 12px; transform: translateX(-50%);
  display: none; gap: 12px; align-items: center; padding: 8px 14px; border-radius: 6px;
  background: #1d2026ee; color: #e6e8eb; border: 1px solid #3b404a;
  font: 14px system-ui, sans-serif; max-width: 90%; }
.lathe-view .lathe-note button { font: inherit; color: inherit; background: #33527d; border: 0;
  border-radius: 4px; padding: 4px 10px; cursor: pointer; white-space: nowrap; }
.lathe-view .lathe-note button:hover { background: #41689e; }
`;

/// Whether the browser has H.264 by WebCodecs, which pages have that came from this machine, or by
/// https.
async function hasVideo() {
  try {
    return (await VideoDecoder.isConfigSupported({ codec: "avc1.42C034" })).supported;
  } catch {
    return false;
  }
}

/// Decodes pictures one after another. If it cannot, it says so by `fail`, and shows no more.
function makeVideo(fail) {
  const PATIENCE = 2000; // ms; the browser's decoder may wait for frames that will not come
  let decoder = null, time = 0, done = null;

  function end() {
    if (decoder && decoder.state !== "closed") decoder.close();
    decoder = null;
  }
  /// Profile and level, as the stream's parameters have them.
  function codecOf(bytes) {
    for (let k = 0; k + 7 < bytes.length; k++)
      if (bytes[k] === 0 && bytes[k + 1] === 0 && bytes[k + 2] === 1 && (bytes[k + 3] & 31) === 7)
        return "avc1." + [4, 5, 6].map((at) =>
          bytes[k + at].toString(16).padStart(2, "0").toUpperCase()).join("");
    return "";
  }
  function begin(bytes) {
    end();
    decoder = new VideoDecoder({
      output: (picture) => done ? done.resolve(picture) : picture.close(),
      error: (why) => done?.reject(why),
    });
    decoder.configure({ codec: codecOf(bytes), optimizeForLatency: true });
  }
  return {
    async decode(bytes, isKey) {
      let timer = 0;
      try {
        if (isKey) begin(bytes);
        return await new Promise((resolve, reject) => {
          done = { resolve, reject };
          timer = setTimeout(() => reject(new Error("no picture came")), PATIENCE);
          decoder.decode(new EncodedVideoChunk({
            type: isKey ? "key" : "delta", timestamp: time += 1000, data: bytes,
          }));
        });
      } catch (why) {
        end();
        fail();
        throw why;
      } finally {
        clearTimeout(timer);
        done = null;
      }
    },
    end,
  };
}

export function makeViewer(element, line) {
  const root = document.createElement("div");
  root.className = "lathe-view";
  root.style.cssText = "width: 100%; height: 100%";
  const style = document.createElement("style");
  style.textContent = STYLE;
  const canvas = document.createElement("canvas");
  const keys = document.createElement("textarea"); // where input methods and pastes arrive
  keys.setAttribute("autocapitalize", "off");
  keys.setAttribute("autocomplete", "off");
  keys.setAttribute("spellcheck", "false");
  keys.setAttribute("aria-label", "Keys for the program");
  const note = document.createElement("div");
  note.className = "lathe-note";
  note.setAttribute("role", "status");
  const stage = document.createElement("div");
  stage.className = "lathe-stage";
  const tabs = document.createElement("div"); // the App's windows, if it has several
  tabs.className = "lathe-tabs";
  tabs.setAttribute("role", "tablist");
  stage.append(canvas, keys, note);
  root.append(style, tabs, stage);
  element.append(root);
  const context = canvas.getContext("2d", { alpha: false });

  let windows = [], seen = 0; // [number, title] of each; the number of the one that is shown
  let isOpen = false, number = 0, steerer = 0, isOver = false;
  let last = Promise.resolve();
  let told = ""; // the size that was said last
  const stats = { frames: 0, videoFrames: 0, bytes: 0, last: 0 };

  const say = (text) => { if (isOpen) line.send(text); };
  const steers = () => number !== 0 && number === steerer;
  const encode = encodeURIComponent;

  // -- what comes ---------------------------------------------------------------------------------

  async function draw(data) {
    const head = new DataView(data);
    const codec = head.getUint8(1), frame = head.getUint32(4, true);
    const width = head.getUint16(8, true), height = head.getUint16(10, true);
    try {
      const picture = codec === 0
        ? await createImageBitmap(new Blob([data.slice(16)], { type: "image/jpeg" }))
        : await video.decode(new Uint8Array(data, 16), codec === 2);
      if (canvas.width !== width || canvas.height !== height) {
        canvas.width = width;
        canvas.height = height;
      }
      if (codec === 0) context.drawImage(picture, 0, 0, width, height);
      else context.drawImage(picture, 0, 0, width, height, 0, 0, width, height);
      picture.close();
      stats.frames += 1;
      stats.videoFrames += codec === 0 ? 0 : 1;
      stats.bytes += data.byteLength;
      stats.last = frame;
    } finally {
      await isSeen(); // behind other pages it gets no more frames
      say(`shown ${frame}`);
    }
  }
  const video = makeVideo(() => say("codec jpeg"));
  const isSeen = () => document.hidden && new Promise((done) =>
    document.addEventListener("visibilitychange", done, { once: true }));

  function show(words, buttons = []) {
    note.replaceChildren(document.createTextNode(words));
    for (const [label, press] of buttons) {
      const button = document.createElement("button");
      button.textContent = label;
      button.onclick = () => { note.style.display = "none"; press(); };
      note.append(button);
    }
    note.style.display = words ? "flex" : "none";
  }

  function showRole() {
    if (isOver) show("The program has ended. This is its last picture.");
    else if (number && !steers()) show("You watch.", [["Ask to steer", ask]]);
    else show("");
  }
  function ask() {
    say("ask");
    if (!steers()) show("You have asked to steer.");
  }

  function showTabs() {
    const press = (label, words, help) => {
      const button = document.createElement("button");
      button.textContent = label;
      button.title = help;
      button.onclick = () => { say(words); keys.focus({ preventScroll: true }); };
      return button;
    };
    tabs.replaceChildren();
    for (const [at, title] of windows) {
      const tab = press(title, `look ${at}`, "");
      tab.setAttribute("role", "tab");
      tab.setAttribute("aria-selected", String(at === seen));
      tabs.append(tab);
      if (at === seen && at !== 0 && steers()) tabs.append(press("×", "close", "Close the window"));
    }
    tabs.style.display = windows.length > 1 ? "flex" : "none";
  }

  function take(text) {
    const [word, ...rest] = text.split(" ");
    if (word === "ping") say(`pong ${rest[0]}`);
    else if (word === "title") line.title?.(decodeURIComponent(rest[0] ?? ""));
    else if (word === "cursor") stage.style.cursor = rest[0];
    else if (word === "windows") {
      windows = [];
      for (let k = 0; k + 1 < rest.length; k += 2)
        windows.push([Number(rest[k]), decodeURIComponent(rest[k + 1])]);
      showTabs();
    } else if (word === "looks") {
      seen = Number(rest[0]);
      showTabs();
    }
    else if (word === "clipboard") {
      navigator.clipboard?.writeText(decodeURIComponent(rest[0] ?? "")).catch(() => {});
    } else if (word === "role") {
      number = Number(rest[0]);
      steerer = Number(rest[1]);
      if (!steers()) stage.style.cursor = "default";
      showRole();
      showTabs();
    } else if (word === "asked") {
      const name = decodeURIComponent(rest[1] ?? "");
      show(`${name} asks to steer.`,
        [["Let it", () => say(`give ${rest[0]}`)], ["No", showRole]]);
    } else if (word === "told") {
      show(decodeURIComponent(rest[0] ?? ""), [["Close", showRole]]);
    } else if (word === "over") {
      isOver = true;
      showRole();
    }
  }

  function receive(data) {
    if (typeof data === "string") take(data);
    else last = last.then(() => draw(data)).catch(() => {}); // one after another
  }

  // -- what goes: size ----------------------------------------------------------------------------

  function tellSize() {
    const ratio = window.devicePixelRatio || 1;
    const box = stage.getBoundingClientRect();
    const width = Math.round(box.width * ratio), height = Math.round(box.height * ratio);
    if (width < 16 || height < 16) return; // hidden
    const size = `size ${Math.min(width, 8192)} ${Math.min(height, 8192)} ${ratio}`;
    if (size !== told) say(told = size);
  }
  let resizing = 0;
  const observer = new ResizeObserver(() => {
    clearTimeout(resizing);
    resizing = setTimeout(tellSize, 120);
  });
  if (line.followsSize !== false) observer.observe(stage);

  // -- what goes: mouse and touch -----------------------------------------------------------------

  const modifiers = (e) =>
    (e.shiftKey ? 1 : 0) | (e.ctrlKey ? 2 : 0) | (e.altKey ? 4 : 0) | (e.metaKey ? 8 : 0);
  const place = (e) => {
    const box = canvas.getBoundingClientRect();
    const x = (e.clientX - box.left) * canvas.width / box.width;
    const y = (e.clientY - box.top) * canvas.height / box.height;
    return [x.toFixed(1), y.toFixed(1)];
  };
  const moveTo = (e) => `move ${place(e).join(" ")}`;
  const touches = new Map(); // of fingers that are down
  let gesture = null; // of two of them: their distance and middle

  function pair() {
    const [a, b] = [...touches.values()];
    return {
      apart: Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY),
      clientX: (a.clientX + b.clientX) / 2, clientY: (a.clientY + b.clientY) / 2,
    };
  }
  function touchDown(e) {
    touches.set(e.pointerId, e);
    if (touches.size === 1) say(`${moveTo(e)}\nbutton left down 0`);
    if (touches.size === 2) { // the first finger lets go; both together shift and zoom
      gesture = pair();
      say(`button left up 0\n${moveTo(gesture)}\nbutton right down 0`);
    }
  }
  function touchMove(e) {
    if (!touches.has(e.pointerId)) return;
    touches.set(e.pointerId, e);
    if (touches.size === 1 && !gesture) say(moveTo(e));
    if (touches.size === 2 && gesture) {
      const now = pair();
      const zoom = Math.log2(Math.max(now.apart, 1) / Math.max(gesture.apart, 1)) * 4;
      say(moveTo(now) + (Math.abs(zoom) > 0.01 ? `\nwheel 0 ${zoom.toFixed(3)}` : ""));
      gesture = now;
    }
  }
  function touchUp(e) {
    if (!touches.delete(e.pointerId)) return;
    if (gesture && touches.size === 1) say("button right up 0");
    else if (!gesture && touches.size === 0) say("button left up 0");
    if (touches.size === 0) gesture = null;
  }

  stage.addEventListener("pointerdown", (e) => {
    if (note.contains(e.target)) return;
    e.preventDefault();
    keys.focus({ preventScroll: true });
    canvas.setPointerCapture(e.pointerId);
    if (e.pointerType === "touch") return touchDown(e);
    if (BUTTONS[e.button]) say(`${moveTo(e)}\nbutton ${BUTTONS[e.button]} down ${modifiers(e)}`);
  });
  stage.addEventListener("pointermove", (e) => {
    if (e.pointerType === "touch") return touchMove(e);
    // A second button that goes down while one is held comes as a move.
    if (e.button >= 0 && BUTTONS[e.button]) {
      const isDown = e.buttons & [1, 4, 2][e.button];
      say(`button ${BUTTONS[e.button]} ${isDown ? "down" : "up"} ${modifiers(e)}`);
    }
    say(moveTo(e));
  });
  stage.addEventListener("pointerup", (e) => {
    if (e.pointerType === "touch") return touchUp(e);
    if (BUTTONS[e.button]) say(`${moveTo(e)}\nbutton ${BUTTONS[e.button]} up ${modifiers(e)}`);
  });
  stage.addEventListener("pointercancel", (e) => {
    if (e.pointerType === "touch") touchUp(e);
  });
  stage.addEventListener("contextmenu", (e) => e.preventDefault());
  stage.addEventListener("wheel", (e) => {
    e.preventDefault();
    const scale = e.deltaMode === 1 ? 1 / 3 : e.deltaMode === 2 ? 10 : 1 / (3 * LINE);
    say(`${moveTo(e)}\nwheel ${(-e.deltaX * scale).toFixed(3)} ${(-e.deltaY * scale).toFixed(3)}`);
  }, { passive: false });

  // -- what goes: files ---------------------------------------------------------------------------

  async function sendFiles(files, where) {
    for (const file of files) {
      try {
        let piece = await file.slice(0, PIECE).arrayBuffer(); // a folder cannot be read
        say(`file ${file.size} ${encode(file.name)}`);
        for (let at = 0; piece.byteLength > 0;) {
          await line.sendBytes(new Uint8Array(piece));
          at += piece.byteLength;
          piece = await file.slice(at, at + PIECE).arrayBuffer();
        }
      } catch (why) {
        show(`${file.name} was not sent: ${why.message}`, [["Close", showRole]]);
      }
    }
    say(`${where}\ndrop`);
  }
  const MOST = 256 * 2 ** 20; // bytes of a drop, as engine/broadcast/file_inbox.h has it
  let sending = Promise.resolve();
  root.addEventListener("dragover", (e) => {
    if (!e.dataTransfer.types.includes("Files")) return;
    e.preventDefault();
    e.dataTransfer.dropEffect = steers() && line.sendBytes ? "copy" : "none";
  });
  root.addEventListener("drop", (e) => {
    e.preventDefault();
    const files = [...e.dataTransfer.files], where = moveTo(e);
    if (!line.sendBytes || files.length === 0) return;
    const refuse = (words) => show(words, [["Close", showRole]]);
    if (!steers()) return refuse("Only who steers drops files.");
    if (files.reduce((sum, file) => sum + file.size, 0) > MOST)
      return refuse(`Files of ${MOST / 2 ** 20} MiB at once are the most.`);
    sending = sending.then(() => sendFiles(files, where)); // one drop after another
  });

  // -- what goes: keys and text -------------------------------------------------------------------

  /// Letters and digits follow the keyboard's layout, all others their place.
  function keyOf(e) {
    if (/^[a-z]$/i.test(e.key)) return e.key.toUpperCase().charCodeAt(0);
    if (/^Key[A-Z]$/.test(e.code)) return e.code.charCodeAt(3);
    if (/^Digit[0-9]$/.test(e.code)) return e.code.charCodeAt(5);
    if (/^F([1-9]|1[0-2])$/.test(e.code)) return 289 + Number(e.code.slice(1));
    if (/^Numpad[0-9]$/.test(e.code)) return 320 + Number(e.code.slice(6));
    return KEYS[e.code] ?? -1;
  }
  const isCommand = (e) => e.ctrlKey || e.metaKey;
  const isBrowsers = (e) => // reload, full screen, the tools of developers
    e.code === "F5" || e.code === "F11" || e.code === "F12" ||
    (isCommand(e) && (e.code === "KeyR" || (e.shiftKey && /^Key[IJ]$/.test(e.code))));
  const isPaste = (e) => isCommand(e) && !e.altKey && e.key.toLowerCase() === "v";
  let held = ""; // Ctrl+V, until its text is here

  keys.addEventListener("keydown", (e) => {
    if (e.isComposing || isBrowsers(e)) return;
    const words = `key ${keyOf(e)} ${e.repeat ? "repeat" : "down"} ${modifiers(e)}`;
    if (isPaste(e)) {
      held = words;
      setTimeout(() => { if (held) { say(held); held = ""; } }, 100);
      return;
    }
    say(words);
    // A key that types arrives as input, composed by the browser; AltGr is Ctrl+Alt to some.
    const types = [...e.key].length === 1 && (!isCommand(e) || (e.ctrlKey && e.altKey));
    if (!types && e.key !== "Dead" && e.key !== "Process") e.preventDefault();
  });
  keys.addEventListener("keyup", (e) => {
    if (!isBrowsers(e)) say(`key ${keyOf(e)} up ${modifiers(e)}`);
  });
  const type = (text) => { if (text) say(`text ${encode(text)}`); };
  keys.addEventListener("input", (e) => {
    if (e.isComposing) return;
    if (e.inputType === "insertText") type(e.data);
    keys.value = "";
  });
  keys.addEventListener("compositionend", (e) => {
    type(e.data);
    keys.value = "";
  });
  keys.addEventListener("paste", (e) => {
    e.preventDefault();
    say(`paste ${encode(e.clipboardData.getData("text/plain"))}`);
    if (held) say(held);
    held = "";
  });
  keys.addEventListener("focus", () => say("focus in"));
  keys.addEventListener("blur", () => say("focus out"));

  return {
    stats,
    canvas,
    receive,
    begin(name = "") {
      isOpen = true;
      isOver = false;
      told = "";
      windows = [];
      seen = 0;
      showTabs();
      if (name) say(`name ${encode(name)}`);
      if (line.followsSize !== false) tellSize();
      hasVideo().then((has) => { if (has) say("codec h264"); });
      show("");
    },
    lose(words) {
      isOpen = false;
      number = 0;
      if (!isOver) show(words);
    },
    get isOver() { return isOver; },
    remove() {
      observer.disconnect();
      video.end();
      root.remove();
    },
  };
}
