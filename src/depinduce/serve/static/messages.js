// What the page says of itself: progress, faults, questions.

import { element, find } from "./dom.js";

/** How it is going; busy: and it goes on. */
export function say(text, busy = false) {
  const place = find("status");
  if (place.textContent !== text) place.textContent = text;
  place.classList.toggle("busy", busy);
}

/** What is wrong with the text, or with the server; nothing any more if it is empty. */
export function fault(text) {
  find("fault").textContent = text;
  document.body.classList.toggle("is-stale", text !== ""); // what is shown belongs to an earlier text
}

/** Does something whose faults are shown. */
export async function guarded(action) {
  try {
    await action();
  } catch (error) {
    say("");
    fault(error.message);
  }
}

/** A question above the tree. text: what is asked, or null; answers: [label, action] */
export function question(text, answers = []) {
  const place = find("question");
  place.hidden = text === null;
  const buttons = answers.map(([label, action]) => element("button", { type: "button", click: action }, label));
  place.replaceChildren(element("span", {}, ...(text ?? [])), ...buttons);
}
