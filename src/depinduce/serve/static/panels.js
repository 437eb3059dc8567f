// What is told beside a tree: why an arc is there, which other heads there could be, and the next best trees.

import { bar, element, number, plural, quoted, refill, word } from "./dom.js";
import { differing } from "./heads.js";

const HEADS_SHOWN = 6;

/** The rules that made the arc to a word. rules: the answer of the server, null while it is awaited */
export function showWhy(place, tree, selected, rules) {
  if (!selected) {
    place.replaceChildren(
      title("Why this arc"),
      element("p", { class: "hint" }, "Click an arc or a word to see which rules of the grammar made it."),
      element("p", { class: "hint" }, "Drag a word to another one to correct its head."),
      element("p", { class: "hint" }, "Keys: arrows move, Enter looks, h changes the head, 0 makes a root, Esc stops."),
    );
    return;
  }
  const probability = tree.probabilities[selected - 1];
  const parts = [title("Why this arc"), arcLine(tree, selected, tree.heads[selected - 1])];
  if (probability === null) {
    const why = "The grammar does not see punctuation:";
    parts.push(element("p", {}, `${why} it is attached to the finished tree, so that no arc is crossed.`));
  } else {
    parts.push(
      element("p", { class: "posterior" }, bar(probability), element("b", {}, number(probability)), " that this is right"),
    );
    if (rules) {
      for (const story of rules.stories) parts.push(...storyLines(story, tree, selected));
      if (rules.note) parts.push(element("p", { class: "hint" }, rules.note));
    }
  }
  place.replaceChildren(...parts);
}

function storyLines(story, tree, selected) {
  const { arc, stops } = story.words[selected - 1];
  const name = tree.words[selected - 1];
  const head = tree.heads[selected - 1];
  const came = head ? [" became a child of ", quoted(tree.words[head - 1])] : [" became the root"];
  return [
    story.title ? element("p", { class: "story" }, `By ${story.title}`) : "",
    element("h4", {}, "How ", quoted(name), ...came),
    ruleList(arc),
    element("h4", {}, "And why ", quoted(name), " has no more children"),
    ruleList(stops),
  ];
}

function ruleList(rules) {
  const lines = rules.map(({ text, probability }) =>
    element("li", {}, element("span", {}, text), bar(probability), element("b", {}, number(probability))),
  );
  return element("ul", { class: "rules" }, lines);
}

/** The heads that the selected word could have. choose(head) gives it another; change() asks for one in the tree */
export function showHeads(place, tree, selected, posteriors, act) {
  if (!selected) {
    place.hidden = true;
    return;
  }
  place.hidden = false;
  const current = tree.heads[selected - 1];
  const column = posteriors.map((row) => row[selected - 1]);
  const order = column.map((_, head) => head).filter((head) => head !== selected);
  order.sort((one, other) => column[other] - column[one] || one - other);
  const seen = column.some((value) => value > 0); // not punctuation
  const shown = seen ? order.filter((head, i) => head === current || i < HEADS_SHOWN) : [];
  const rows = shown.map((head) => headRow(tree, head, column[head], head === current, act.choose));
  const rest = order.filter((head) => !shown.includes(head)).reduce((sum, head) => sum + column[head], 0);
  const change = { type: "button", id: "change", click: act.change };
  refill(
    place,
    title("Heads that ", quoted(tree.words[selected - 1]), " could have"),
    seen ? element("ul", { class: "choices" }, rows) : element("p", {}, "It is punctuation, which any word may have."),
    seen && rest > 0 ? element("p", { class: "hint" }, `all others together: ${number(rest)}`) : "",
    act.change ? element("button", change, "Choose another in the tree") : "",
  );
}

function headRow(tree, head, probability, isCurrent, choose) {
  const name = head ? [word(tree.words[head - 1]), element("small", {}, ` word ${head}`)] : [element("i", {}, "root")];
  const content = [element("span", {}, ...name), bar(probability), element("b", {}, number(probability))];
  if (isCurrent || !choose) {
    return element("li", {}, element("div", { class: "choice", "aria-current": isCurrent ? "true" : null }, content));
  }
  const made = head ? `${tree.words[head - 1]} the head` : "it the root";
  const attributes = {
    type: "button",
    class: "choice",
    "data-head": head,
    "aria-label": `Make ${made}, probability ${number(probability)}`,
    click: () => choose(head),
  };
  return element("li", {}, element("button", attributes, content));
}

/** The best trees of a sentence as small pictures. */
export function showTrees(place, look, punctuation, shown, choose) {
  const buttons = look.trees.map((tree, i) => {
    const differs = differing(tree.heads, look.trees[0].heads).filter((child) => !punctuation.includes(child));
    const differ = `${plural(differs.length, "head")} differ${differs.length === 1 ? "s" : ""}`;
    const picture = element("div", { class: "thumbnail", "aria-hidden": "true" });
    const svg = new DOMParser().parseFromString(tree.svg, "image/svg+xml").documentElement;
    svg.removeAttribute("width"); // as wide as its frame
    svg.removeAttribute("height");
    for (const named of svg.querySelectorAll("title")) named.remove();
    for (const arc of svg.querySelectorAll(".dep-arc")) {
      arc.classList.toggle("differs", differs.includes(Number(arc.dataset.child)));
    }
    picture.append(document.importNode(svg, true));
    const probability = tree.probability === null ? "" : number(tree.probability);
    return element(
      "li",
      {},
      element(
        "button",
        { type: "button", class: "alternative", "aria-pressed": String(i === shown), click: () => choose(i) },
        element("span", {}, element("b", {}, `${i + 1}. ${probability}`), ` ${i === 0 ? "the best tree" : differ}`),
        picture,
      ),
    );
  });
  refill(
    place,
    title("The best trees"),
    look.note ? element("p", { class: "hint" }, look.note) : "",
    element("ol", { class: "alternatives" }, buttons),
  );
}

function arcLine(tree, child, head) {
  const from = head ? word(tree.words[head - 1]) : element("i", {}, "root");
  return element("p", { class: "arc-line" }, from, " → ", word(tree.words[child - 1]));
}

function title(...parts) {
  return element("h3", {}, ...parts);
}
