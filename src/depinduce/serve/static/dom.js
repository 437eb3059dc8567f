// Elements and numbers. Whatever comes from outside becomes text, never markup.

export const find = (id) => document.getElementById(id);
const LONGEST = 60; // characters of a word

/** An element with attributes (functions are listeners, null is none) and children, which are elements or texts. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null) made.setAttribute(key, value);
  }
  made.append(...children.flat());
  return made;
}

/** Other children for a place; the keyboard stays at the button that it was at, by its number. */
export function refill(place, ...children) {
  const at = [...place.querySelectorAll("button")].indexOf(document.activeElement);
  place.replaceChildren(...children);
  if (at >= 0) place.querySelectorAll("button")[at]?.focus();
}

/** A word of a sentence, whichever way it is written. */
export function word(text) {
  return element("bdi", { class: "word" }, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** A word of a sentence among our own. */
export function quoted(text) {
  return element("span", {}, "“", word(text), "”");
}

/** A probability as people read it. */
export function number(probability) {
  if (probability === 0) return "0";
  if (probability >= 0.01) return probability.toFixed(2);
  if (probability >= 0.00005) return String(Number(probability.toFixed(4)));
  return "<0.0001";
}

export function capital(text) {
  return text[0].toUpperCase() + text.slice(1);
}

export function plural(count, noun) {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** A probability as the length of a bar. */
export function bar(probability) {
  const filled = element("span");
  filled.style.width = `${100 * probability}%`;
  return element("span", { class: "share", "aria-hidden": "true" }, filled);
}

/** Calls that come close together become one, the last. */
export function debounced(action, milliseconds) {
  let timer = null;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
}
