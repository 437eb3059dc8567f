// Learning from the trees that were checked: how far it is, and what has come of it.

import { element, find, plural, refill } from "./dom.js";

const PERCENT = (right, words) => `${((100 * right) / Math.max(words, 1)).toFixed(1)} %`;

/** Show how it goes. desk: as the server describes it; act: { begin, stop, showChanged } */
export function showRetraining(desk, act) {
  const { retraining: now } = desk;
  const running = now.state === "training" || now.state === "scoring";
  const trees = plural(desk.checked, "tree");
  refill(
    find("retraining"),
    element("h3", {}, "Learn from checked trees"),
    running ? "" : element("p", { class: "hint" }, `${trees} checked. The grammar learns from them, and from the text of the file.`),
    ...(running ? progress(now) : []),
    now.state === "failed" ? element("p", { class: "fault" }, now.fault) : "",
    now.state === "stopped" ? element("p", {}, "Stopped. The grammar is the one that it was.") : "",
    now.grammar ? outcome(desk, now, act.showChanged) : "",
    element(
      "p",
      { class: "actions" },
      running
        ? element("button", { type: "button", id: "stop", click: act.stop }, "Stop")
        : element("button", { type: "button", id: "retrain", click: act.begin, ...(desk.checked ? {} : { disabled: "" }) }, "Retrain"),
    ),
  );
}

function progress(now) {
  const what =
    now.state === "training"
      ? `Learning from ${plural(now.trees, "tree")} …`
      : `Trying it on trees that it has not seen: part ${Math.max(now.fold, 1)} of ${now.folds} …`;
  const bar = element("progress", { max: Math.max(now.total, 1), "aria-label": "progress", ...(now.total ? { value: now.done } : {}) });
  return [element("p", {}, what), bar];
}

function outcome(desk, now, showChanged) {
  const { old_score: old, new_score: found } = now;
  const rows = [
    [`${now.old_grammar}, before`, old],
    [`${now.grammar}, on trees that it did not see`, found],
  ].filter(([, score]) => score);
  const head = element("tr", {}, element("td"), element("th", {}, "heads"), element("th", {}, "and labels"));
  const lines = rows.map(([name, score]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, name),
      element("td", {}, PERCENT(score.heads, score.words)),
      element("td", {}, PERCENT(score.labels, score.words)),
    ),
  );
  const few = now.state === "done" && !found ? `With fewer than ${now.fewest_scored} trees nobody can tell how much it has learned.` : "";
  const changed = `${plural(desk.changed, "tree")} changed${desk.surveyed < desk.sentences ? " so far" : ""}`;
  return element(
    "div",
    { class: "outcome" },
    element("p", {}, `${now.grammar} has learned from ${plural(now.trees, "tree")} and is in use; ${now.old_grammar} is still there.`),
    lines.length ? element("table", {}, head, ...lines) : "",
    few ? element("p", { class: "hint" }, few) : "",
    lines.length ? element("p", { class: "hint" }, `The trees were first those of a grammar, which favours ${now.old_grammar}.`) : "",
    element("p", {}, changed, " ", desk.changed ? element("button", { type: "button", id: "show-changed", click: showChanged }, "Show them") : ""),
  );
}
