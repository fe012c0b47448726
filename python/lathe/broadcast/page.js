
// The page of `lathe serve`: one view, over a WebSocket that is opened again when it breaks.
{
  const query = new URLSearchParams(location.search);
  let socket = null, wait = 500;
  const viewer = makeViewer(document.body, {
    send: (text) => socket?.readyState === WebSocket.OPEN && socket.send(text),
    sendBytes: async (bytes) => {
      const line = socket;
      while (line.bufferedAmount > 1 << 22) await new Promise((done) => setTimeout(done, 20));
      if (line !== socket || line.readyState !== WebSocket.OPEN) throw new Error("the line broke");
      line.send(bytes);
    },
    title: (text) => { document.title = `${text} – Lathe`; },
  });
  const address = new URL(`view?token=${encodeURIComponent(query.get("token") ?? "")}`,
    location.href);
  address.protocol = address.protocol.replace("http", "ws");
  function connect() {
    socket = new WebSocket(address);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => { wait = 500; viewer.begin(query.get("name") ?? ""); };
    socket.onmessage = (e) => viewer.receive(e.data);
    socket.onclose = (e) => {
      if (e.code === 1001) viewer.receive("over"); // the server ends in good order
      viewer.lose(e.reason ? `The line is closed: ${e.reason}`
        : "The line is broken. Trying again …");
      setTimeout(connect, wait);
      wait = Math.min(wait * 2, 8000);
    };
  }
  connect();
  // For tests, and for whoever is curious.
  window.lathe = Object.assign(viewer, { breakLine: () => socket.close() });
}
