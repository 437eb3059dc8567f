// Names for an arc, chosen with the keyboard: type some letters, go up and down, press Enter.

import { element, quoted } from "./dom.js";

const SHAPE = /^[a-z]+(:[a-z]+)?(:\p{Ll}+(_\p{Ll}+)*)?$/u; // of a relation that is not on the list

/** The relations that begin with what was typed, then those that have it elsewhere. */
export function fitting(labels, typed) {
  const wanted = typed.trim().toLowerCase();
  const begin = labels.filter((label) => label.startsWith(wanted));
  return [...begin, ...labels.filter((label) => label.includes(wanted) && !begin.includes(label))];
}

/**
 * Ask for the relation of a word.
 * @param place where; hidden again when it is done
 * @param about { name: the word, current: its relation, labels: all that there are }
 * @param end called with the relation, or with null
 */
export function chooseLabel(place, about, end) {
  let shown = [];
  let at = 0;
  const input = element("input", {
    type: "text",
    role: "combobox",
    "aria-label": `Relation of ${about.name}`,
    "aria-expanded": "true",
    "aria-controls": "label-list",
    "aria-autocomplete": "list",
    spellcheck: "false",
    placeholder: about.current,
  });
  const list = element("ul", { id: "label-list", role: "listbox" });

  function close(label) {
    place.hidden = true;
    place.replaceChildren();
    end(label);
  }

  function fill() {
    shown = fitting(about.labels, input.value);
    const typed = input.value.trim();
    const isNew = !about.labels.includes(typed) && (shown.length === 0 || typed.includes(":"));
    if (isNew && SHAPE.test(typed)) shown.push(typed);
    at = input.value ? 0 : Math.max(0, shown.indexOf(about.current));
    list.replaceChildren(
      ...shown.map((label, i) =>
        element(
          "li",
          { id: `label-${i}`, role: "option", mousedown: (event) => event.preventDefault(), click: () => close(label) },
          label,
        ),
      ),
    );
    mark();
  }

  function mark() {
    [...list.children].forEach((line, i) => line.setAttribute("aria-selected", String(i === at)));
    list.children[at]?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", shown.length ? `label-${at}` : "");
  }

  const rows = () => Math.max(1, Math.round(list.clientWidth / (list.firstChild?.offsetWidth || list.clientWidth)));
  input.addEventListener("input", fill);
  input.addEventListener("keydown", (event) => {
    const steps = { ArrowDown: rows(), ArrowUp: -rows(), ArrowRight: 1, ArrowLeft: -1 };
    if (event.key in steps) {
      at = Math.min(Math.max(at + steps[event.key], 0), shown.length - 1);
      mark();
    } else if (event.key === "Enter") {
      if (shown.length) close(shown[at]);
    } else if (event.key === "Escape") {
      close(null);
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  });
  input.addEventListener("blur", () => !place.hidden && close(null));
  place.replaceChildren(element("label", {}, "Relation of ", quoted(about.name), " ", input), list);
  place.hidden = false;
  fill();
  input.focus();
}
