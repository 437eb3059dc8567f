// The list of sentences: which are wanted, a page of them, and the way from one to the next.

import { element, find, number, plural, refill } from "./dom.js";
import { ask, latest } from "./server.js";

const SIZE = 25; // sentences on a page
const askList = latest((request) => ask("desk-list", request));

export class SentenceList {
  #wanted = {}; // what the form says
  #page = 0;
  #pages = 1;
  #lines = [];
  #current = -1; // the number of the sentence that is shown

  /** choose(number) shows a sentence. */
  constructor(choose) {
    this.choose = choose;
    find("page-before").addEventListener("click", () => this.load(this.#page - 1));
    find("page-after").addEventListener("click", () => this.load(this.#page + 1));
  }

  /** Read the form, and show its first page. */
  async want() {
    const form = new FormData(find("filters"));
    const given = [...form.entries()].filter(([, value]) => value !== "");
    const numbers = ["least", "most"];
    this.#wanted = Object.fromEntries(given.map(([name, value]) => [name, numbers.includes(name) ? Number(value) : value]));
    await this.load(0);
  }

  async load(page = this.#page) {
    const answer = await askList({ ...this.#wanted, page: Math.max(0, page), size: SIZE });
    if (!answer) return false;
    this.#page = answer.page;
    this.#pages = answer.pages;
    this.#lines = answer.sentences;
    find("pages").textContent = answer.total
      ? `page ${answer.page + 1} of ${answer.pages} · ${plural(answer.total, "sentence")}`
      : "no such sentence";
    find("page-before").disabled = answer.page === 0;
    find("page-after").disabled = answer.page >= answer.pages - 1;
    this.#show();
    return true;
  }

  get first() {
    return this.#lines[0]?.number;
  }

  /** Mark the sentence that is shown, and what is known of it by now. */
  mark(sentence) {
    this.#current = sentence.number;
    this.note(sentence);
  }

  /** Show what there is of a sentence by now. */
  note(sentence) {
    const line = this.#lines.find((one) => one.number === sentence.number);
    if (line) {
      line.checked = sentence.checked;
      line.corrected = Object.keys(sentence.work.heads).length + Object.keys(sentence.work.labels).length;
      line.certainty = sentence.certainty;
    }
    this.#show();
  }

  /** Go to the next sentence (1) or the one before (-1), on another page if need be. */
  async step(onward) {
    const at = this.#lines.findIndex((line) => line.number === this.#current);
    const next = this.#lines[at + onward];
    if (next) return this.choose(next.number);
    const before = new Set(this.#lines.map((line) => line.number));
    // What was done may have taken sentences off this page, so that others have come.
    if (onward > 0 && (await this.load())) {
      const fresh = this.#lines.find((line) => !before.has(line.number));
      if (fresh) return this.choose(fresh.number);
    }
    const page = this.#page + onward;
    if (page < 0 || page >= this.#pages || !(await this.load(page))) return undefined;
    const other = this.#lines.at(onward > 0 ? 0 : -1);
    return other && this.choose(other.number);
  }

  #show() {
    refill(
      find("sentences"),
      ...this.#lines.map((line) => {
        const attributes = {
          type: "button",
          "aria-current": line.number === this.#current ? "true" : null,
          "data-number": line.number,
          click: () => this.choose(line.number),
        };
        const mark = line.checked ? "✓" : line.corrected ? "corrected" : "";
        const kind = line.checked ? "mark checked" : "mark";
        const sure = line.certainty === null || line.checked ? "" : number(line.certainty);
        return element(
          "li",
          {},
          element(
            "button",
            attributes,
            element("bdi", {}, line.text),
            mark ? element("span", { class: kind, "aria-label": line.checked ? "checked" : null }, mark) : "",
            element("span", { class: "sure" }, sure),
          ),
        );
      }),
    );
  }
}
