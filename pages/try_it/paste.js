// Pictures from the clipboard. Pasted text goes where it always goes.
import { listen } from "../shared/drawing/dom.js";

const base64 = (file) =>
  new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(String(reader.result).split(",", 2)[1] ?? "");
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const line = parentElement.querySelector(".fs-paste");
  const key = /Mac|iP/.test(navigator.platform) ? "⌘ V" : "Ctrl + V";
  const hint = `… or paste a picture: ${key} anywhere on this page.`;
  line.textContent = hint;
  const paste = async (event) => {
    const pictures = [...(event.clipboardData?.files ?? [])].filter((file) => file.type.startsWith("image/"));
    if (!pictures.length || event.clipboardData.types.includes("text/plain")) return;
    event.preventDefault();
    if (pictures.some((file) => file.size > data.most)) {
      line.textContent = `This picture is larger than ${Math.round(data.most / 2 ** 20)} MB; save it as a smaller JPEG.`;
      return;
    }
    line.textContent = "Reading the pasted picture …";
    const sent = [];
    for (const [k, file] of pictures.entries()) {
      sent.push({ name: `pasted ${k + 1}.${file.type.slice(6)}`, data: await base64(file) });
    }
    setTriggerValue("pasted", sent);
    line.textContent = hint;
  };
  return listen("paste", paste);
}
