// What every plane does by itself, whatever it draws with: say what is pointed at, show another view, draw with the next
// frame and at another size. What extends it has `root`, `box`, `top`, `tip`, `live`, `modes`, and `frame`, `paint`,
// `paintTop`, `told` and `reach`: how far the middle of a view may lie from that of the whole, each way.
import { tellAt } from "./parts.js";

// Pixels that a plane has at least, each way.
const NARROWEST = 80;

export class Looked {
  next = null;

  // Width and height to draw at.
  get size() { return [Math.max(NARROWEST, this.box.clientWidth), Math.max(NARROWEST, this.box.clientHeight)]; }

  // Whether it was drawn at another size: a browser tells the first one, too, right after it has been drawn at that.
  isOtherSize() {
    const [wide, tall] = this.size;
    return !this.at || this.at.wide !== wide || this.at.tall !== tall;
  }

  // Draw with the next frame; several calls before it are one.
  draw() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = null;
      if (!this.root.isConnected || !this.box.clientWidth) return;
      this.paint();
      if (this.next !== null) this.hover(this.next);
      this.next = null;
    });
  }

  // Point at the i-th mark, at none for null.
  hover(i) {
    if (i === null) this.next = null;
    if (i === this.hovered) return;
    this.hovered = i;
    this.tip.hidden = i === null;
    this.top.classList.toggle("on-point", i !== null);
    this.paintTop();
    if (i === null) return;
    const told = this.told(i);
    this.live.textContent = told.join("; ");
    tellAt(this.tip, told, ...this.screen(i), this.at.wide, this.at.tall);
  }

  // Show another view, never one far from all that there is. next: the mark that is pointed at there.
  look(view, next = null) {
    const [wide, tall] = this.reach;
    const held = (value, most) => Math.min(most, Math.max(-most, value));
    this.view = { ...view, x: held(view.x, wide), y: held(view.y, tall) };
    this.hover(null);
    this.next = next;
    this.draw();
  }

  // Zoom about the mark that is pointed at, which stays so, else about the middle.
  zoomKept(by) {
    const kept = this.hovered;
    this.zoom(by, ...(kept === null ? [] : this.screen(kept)));
    this.next = kept;
  }

  screen(i) { return [this.at.x(this.x[i]), this.at.y(this.y[i])]; }

  // What dragging does, one of its tools' modes.
  setMode(mode) {
    this.mode = this.root.dataset.mode = mode;
    for (const each of this.modes) each.setAttribute("aria-pressed", String(each.dataset.mode === mode));
  }
}
