// One tree on the page: the picture that the server drew, with words that can be looked at, walked along and dragged.

const SVG = "http://www.w3.org/2000/svg";
const DRAG_FROM = 6; // pixels: less is a click
const SMALLEST = 0.8; // a picture may shrink to so much of its size before its words run down the page

/**
 * @param place the element that the picture goes into
 * @param act what happens: word(number) was chosen, head(word, head) was dragged, key(word, name) was pressed
 * @param movable whether words can be dragged to their heads
 */
export class TreeView {
  constructor(place, act, movable) {
    this.place = place;
    this.card = place.parentElement;
    this.act = act;
    this.movable = movable;
    this.at = 1; // the word that the keyboard is at
    this.groups = [];
    this.dragged = false; // since the pointer went down
  }

  /** The room for a picture, before it is made smaller. A hidden card has none: it is there while it is measured. */
  get width() {
    const { hidden } = this.card;
    this.card.hidden = false;
    const { clientWidth } = this.place;
    this.card.hidden = hidden;
    return Math.floor(clientWidth / SMALLEST);
  }

  /** Show a picture. tree: { words, tags, heads, probabilities } */
  show(picture, tree) {
    const had = this.place.contains(document.activeElement);
    const svg = document.importNode(new DOMParser().parseFromString(picture, "image/svg+xml").documentElement, true);
    svg.setAttribute("role", "group");
    svg.querySelector("title").remove(); // or it would be the tooltip of everything; its text is the label, too
    svg.style.minWidth = `${SMALLEST * svg.getAttribute("width")}px`;
    this.place.replaceChildren(svg);
    this.svg = svg;
    this.tree = tree;
    this.at = Math.min(this.at, tree.words.length);
    for (const arc of svg.querySelectorAll(".dep-arc")) this.#makeArc(arc);
    this.groups = tree.words.map((_, i) => this.#makeWord(i + 1));
    this.#labels({});
    if (had) this.focus(this.at);
  }

  #makeArc(arc) {
    arc.setAttribute("aria-hidden", "true"); // the label of its word tells it
    const line = arc.querySelector("path");
    const wide = line.cloneNode();
    wide.setAttribute("class", "reach"); // a wider line that is not seen, as thin ones are hard to hit
    arc.append(wide);
    arc.addEventListener("click", () => this.act.word(Number(arc.dataset.child)));
  }

  /** The word and its tag as one button. */
  #makeWord(number) {
    const texts = this.svg.querySelectorAll(`text[data-word="${number}"]`);
    const group = document.createElementNS(SVG, "g");
    group.setAttribute("class", "word-button");
    group.setAttribute("role", "button");
    group.dataset.word = number;
    texts[0].before(group);
    group.append(...texts);
    const box = group.getBBox();
    const ground = document.createElementNS(SVG, "rect");
    const room = { x: box.x - 7, y: box.y - 3, width: box.width + 14, height: box.height + 6, rx: 7 };
    for (const [name, value] of Object.entries(room)) ground.setAttribute(name, value);
    group.prepend(ground);
    group.addEventListener("keydown", (event) => this.#press(event, number));
    group.addEventListener("pointerdown", (event) => this.#grasp(event, number));
    group.addEventListener("click", () => {
      if (this.dragged) return; // the end of a drag that led nowhere
      this.at = number;
      this.act.word(number);
    });
    return group;
  }

  /** Mark words and arcs. marks: { selected: word, choosing: word, corrected: [word], kept: [word], differing: [word] } */
  mark(marks) {
    const { selected = 0, choosing = 0, corrected = [], kept = [], differing = [] } = marks;
    this.groups.forEach((group, i) => {
      group.classList.toggle("selected", i + 1 === selected);
      group.classList.toggle("choosing", i + 1 === choosing);
      group.setAttribute("aria-pressed", String(i + 1 === selected));
    });
    for (const arc of this.svg?.querySelectorAll(".dep-arc") ?? []) {
      const child = Number(arc.dataset.child);
      arc.classList.toggle("selected", child === selected);
      arc.classList.toggle("corrected", corrected.includes(child));
      arc.classList.toggle("kept", kept.includes(child));
      arc.classList.toggle("differs", differing.includes(child));
    }
    this.card.classList.toggle("is-choosing", choosing > 0);
    this.#labels({ corrected, kept, differing });
  }

  #labels({ corrected = [], kept = [], differing = [] }) {
    const { words, tags, heads, probabilities } = this.tree;
    this.groups.forEach((group, i) => {
      const head = heads[i] === 0 ? "the root" : `head ${words[heads[i] - 1]}`;
      const relation = this.svg.querySelector(`[data-label="${i + 1}"]`)?.textContent;
      const parts = [words[i], tags[i], relation ? `${relation} of ${words[heads[i] - 1]}` : head];
      if (probabilities[i] !== null) parts.push(`probability ${probabilities[i].toFixed(2)}`);
      if (corrected.includes(i + 1)) parts.push("corrected");
      if (kept.includes(i + 1)) parts.push("from the text");
      if (differing.includes(i + 1)) parts.push("differs");
      group.setAttribute("aria-label", `${parts.join(", ")}, word ${i + 1} of ${words.length}`);
      group.setAttribute("tabindex", i + 1 === this.at ? "0" : "-1");
    });
  }

  focus(number) {
    this.groups[this.at - 1]?.setAttribute("tabindex", "-1");
    this.at = number;
    this.groups[number - 1]?.setAttribute("tabindex", "0");
    this.groups[number - 1]?.focus();
  }

  #press(event, number) {
    const onward = this.#runsLeft() ? -1 : 1;
    const steps = { ArrowRight: onward, ArrowLeft: -onward, ArrowDown: 1, ArrowUp: -1 };
    if (event.key in steps) {
      const next = number + steps[event.key];
      if (next >= 1 && next <= this.groups.length) this.focus(next);
    } else if (event.key === "Home" || event.key === "End") {
      this.focus(event.key === "Home" ? 1 : this.groups.length);
    } else if (event.key === "Enter" || event.key === " ") {
      this.act.word(number);
    } else if (event.ctrlKey || event.metaKey || event.altKey || !this.act.key(number, event.key)) {
      return;
    }
    event.preventDefault();
  }

  #runsLeft() {
    const places = this.groups.map((group) => group.getBBox().x);
    return places.length > 1 && places[0] > places[places.length - 1];
  }

  // -------------------------------------------------------------- dragging a word to its head

  #grasp(event, number) {
    this.dragged = false;
    if (!this.movable || event.button !== 0) return;
    const from = { x: event.clientX, y: event.clientY };
    const drag = { line: null, target: null };
    const stop = new AbortController();
    const listen = (name, action) => window.addEventListener(name, action, { signal: stop.signal });
    listen("pointermove", (move) => {
      if (drag.line || Math.hypot(move.clientX - from.x, move.clientY - from.y) >= DRAG_FROM) {
        this.#drag(drag, number, move);
      }
    });
    const end = (head) => {
      stop.abort();
      if (!drag.line) return;
      this.#mark(drag, null);
      drag.line.remove();
      this.card.classList.remove("is-dragging");
      if (head !== null) this.act.head(number, head);
    };
    listen("pointerup", () => end(drag.target ? Number(drag.target.dataset.word) : null));
    listen("pointercancel", () => end(null));
    listen("keydown", (key) => key.key === "Escape" && end(null));
  }

  #drag(drag, number, move) {
    if (!drag.line) {
      drag.line = document.createElementNS(SVG, "path");
      drag.line.setAttribute("class", "drag");
      this.card.classList.add("is-dragging");
      this.dragged = true;
    }
    if (!drag.line.isConnected) this.svg.append(drag.line); // the tree may have been drawn anew
    move.preventDefault();
    const here = new DOMPoint(move.clientX, move.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const box = this.groups[number - 1].getBBox();
    const start = { x: box.x + box.width / 2, y: box.y };
    const lift = Math.min(start.y, here.y) - 30;
    drag.line.setAttribute("d", `M${start.x} ${start.y}C${start.x} ${lift} ${here.x} ${lift} ${here.x} ${here.y}`);
    const found = document.elementFromPoint(move.clientX, move.clientY)?.closest(".word-button, .root-target");
    const isHere = found && this.card.contains(found) && Number(found.dataset.word) !== number;
    this.#mark(drag, isHere ? found : null);
  }

  #mark(drag, target) {
    drag.target?.classList.remove("target");
    drag.target = target;
    target?.classList.add("target");
  }
}
