// What stands above a tree: which grammar it is from, how probable it is, how it differs from another.

import { capital, element, number, plural, word } from "./dom.js";

/** Above the tree that is looked into. own: the words whose heads the user changed */
export function describeFirst(side, state, own) {
  const { sentence, sentences, model, rules } = side;
  const which = sentences.length > 1 ? `sentence ${state.current + 1} of ${sentences.length}` : "";
  let kind = sentence.kept.length ? "the best tree with the heads of your text" : "the best tree";
  if (state.alternative !== null) kind = state.alternative ? `tree ${state.alternative + 1}` : "the best tree";
  if (own.length) kind = `your tree, ${plural(own.length, "head")} changed`;
  side.about.replaceChildren(
    element("h2", {}, model.name),
    element("p", {}, [model.about, sentence.name, which].filter(Boolean).join(" · ")),
    element("p", { class: "verdict" }, `${capital(kind)}${verdict(sentence, rules)}`),
  );
}

/** How probable the grammar finds the tree that is shown. */
function verdict(sentence, rules) {
  const best = sentence.log_probability;
  if (!rules || best === null) return "";
  if (rules.log_probability === null) return `: ${rules.note}`;
  const probability = Math.exp(Math.min(rules.log_probability - sentence.log_likelihood, 0));
  const times = Math.exp(best - rules.log_probability);
  const said = `: probability ${number(probability)}`;
  return times < 1.005 ? said : `${said}, ${rounded(times)} times less probable than the best`;
}

function rounded(times) {
  if (times >= 1e6) return "more than a million";
  return times < 10 ? times.toFixed(1) : Math.round(times).toLocaleString("en");
}

/** Above the tree that is compared with the first. differing: the words, not punctuation, that have other heads there */
export function describeSecond(side, first, differing) {
  const { words, heads } = first.tree;
  const all = plural(words.length - first.sentence.punctuation.length, "head"); // the grammars do not see punctuation
  const name = (head) => (head ? word(words[head - 1]) : element("i", {}, "root"));
  const line = (child) => {
    const [above, here] = [heads, side.tree.heads].map((tree) => name(tree[child - 1]));
    return element("li", {}, word(words[child - 1]), ": ", above, " above, ", here, " here");
  };
  side.about.replaceChildren(
    element("h2", {}, side.model.name),
    element("p", {}, side.model.about),
    element("p", { class: "verdict" }, differing.length ? `Differs in ${differing.length} of ${all}` : `The same ${all}`),
    element("ul", { class: "differences" }, differing.map(line)),
  );
}
