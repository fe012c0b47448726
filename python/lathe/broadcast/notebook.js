
// The cell of a notebook: one view, over the line between the kernel and the page.
function render({ model, el }) {
  const [width, height] = model.get("size");
  const box = document.createElement("div");
  box.style.cssText = `width: min(100%, ${width}px); aspect-ratio: ${width} / ${height}`;
  el.append(box);
  const viewer = makeViewer(box, {
    send: (text) => model.send({ text }),
    sendBytes: async (bytes) => model.send({ bytes: true }, undefined, [bytes]),
  });
  const take = (content, buffers) => {
    if (content.text !== undefined) return viewer.receive(content.text);
    const view = buffers[0]; // a DataView on some of a larger buffer
    viewer.receive(view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength));
  };
  model.on("msg:custom", take);
  model.send({ begin: true });
  viewer.begin();
  return () => {
    model.off("msg:custom", take);
    viewer.remove();
  };
}
export default { render };
