// The page: which grammars, which sentences, what is looked at and what was corrected.

import { describeFirst, describeSecond } from "./captions.js";
import { Corrections, withKeys } from "./corrections.js";
import { capital, debounced, element, find, plural, quoted, refill } from "./dom.js";
import { differing, inThePlaceOf, obstacle, rootOf, same, withHead } from "./heads.js";
import { fault, guarded, question, say } from "./messages.js";
import { showHeads, showTrees, showWhy } from "./panels.js";
import { ask, latest, listModels } from "./server.js";
import { TreeView } from "./tree_view.js";

const TREES = 6; // that are shown of a sentence
const IMPATIENT = 300; // milliseconds between two looks at a model that is being loaded
const PROGRESS = {
  found: "Loading the grammar …",
  loading: "Loading the grammar …",
  compiling: "Preparing the charts. The first time they are compiled, which takes up to a minute …",
};

/** One grammar on the page: the first is looked into and corrected, the second is compared with it. */
class Side {
  constructor(id, movable) {
    this.card = find(id);
    this.about = this.card.querySelector(".about");
    this.legend = this.card.querySelector(".legend");
    this.view = new TreeView(this.card.querySelector(".tree"), actions(this), movable);
    this.wanted = ""; // the name of the grammar that was chosen
    this.chosen = null; // its description, when it is ready
    this.model = null; // the one that parsed all that is here now: a choice shows when the text is parsed again
    this.sentences = []; // as it parsed them
    this.look = null; // at the current sentence: its best trees, posteriors
    this.tree = null; // that is shown; null while another sentence is on its way, and nothing can be done with it
    this.rules = null; // that made it
    this.drawnFor = 0; // the width that the picture has room for
    this.askLook = latest((request) => ask("sentence", request));
    this.askPicture = latest((request) => ask("draw", request));
    this.askRules = latest((request) => ask("rules", request));
  }

  get sentence() {
    return this.sentences[state.current];
  }
}

const state = {
  current: 0, // the sentence that is shown
  alternative: null, // which of its best trees is shown; null: the one that counts
  selected: null, // { side, word } that is looked at
  choosing: 0, // the word whose new head is to be clicked
  isDown: false, // whether words run down the page, though there may be room for them side by side
  corrections: new Corrections(),
};
const first = new Side("first", true);
const second = new Side("second", false);

function actions(side) {
  return {
    word: (number) => {
      if (!side.tree) return; // what is still to be seen is on its way out
      if (state.choosing && side === first) setHead(state.choosing, number);
      else select(side, number);
    },
    head: setHead,
    key: (number, key) => {
      if (!side.tree || side !== first) return false;
      if (key === "h") choose(number);
      else if (key === "0" && state.choosing) setHead(state.choosing, 0);
      else return false;
      return true;
    },
  };
}

// ---------------------------------------------------------------- grammars

/** The description of a grammar when it is ready; null if by then another is wanted on its side. */
async function ready(side, name) {
  side.wanted = name;
  for (;;) {
    const model = await ask("model", { model: name });
    if (side.wanted !== name) return null;
    if (model.state === "failed") throw new Error(model.fault);
    if (model.state === "ready") {
      say("");
      return model;
    }
    say(PROGRESS[model.state], true);
    await new Promise((resolve) => setTimeout(resolve, IMPATIENT));
  }
}

async function chooseModel(name) {
  await guarded(async () => {
    const model = await ready(first, name);
    if (!model) return;
    first.chosen = model;
    find("tags").textContent = `${model.tags.join(" ")} (${model.tag_column} of CoNLL-U)`;
    find("known").hidden = false;
    find("example").hidden = model.examples.length === 0;
    const [one, two] = model.tags;
    find("text").placeholder = `word/${one} word/${two ?? one}`;
    if (!find("text").value && model.examples.length) find("text").value = model.examples[0];
    await parse();
  });
}

async function chooseOther(name) {
  Object.assign(second, { wanted: name, chosen: null });
  await guarded(async () => {
    const model = name ? await ready(second, name) : null;
    if (second.wanted !== name) return;
    second.chosen = model;
    await parse();
  });
}

// ---------------------------------------------------------------- sentences

const parseText = latest(async (text) => {
  const models = [first, second].map((side) => side.chosen);
  const asked = models.map((model) => model && ask("parse", { model: model.name, text }));
  const [answer, other] = await Promise.allSettled(asked);
  if (answer.status === "rejected") throw answer.reason;
  // What the second grammar cannot read, the first one can nevertheless.
  const fault = other.status === "rejected" ? `${models[1].name} cannot be compared: ${other.reason.message}` : "";
  return { models: [models[0], fault ? null : models[1]], answers: [answer.value, fault ? null : other.value], fault };
});

async function parse() {
  const text = find("text").value;
  if (!first.chosen) return;
  if (!text.trim()) {
    fault("");
    showNothing();
    return;
  }
  try {
    const parsed = await parseText(text);
    if (!parsed || find("text").value !== text) return; // or it is no longer wanted
    [first, second].forEach((side, i) => {
      const sentences = withKeys(parsed.answers[i]?.sentences ?? []);
      Object.assign(side, { model: parsed.models[i], sentences, tree: null });
    });
    fault("");
    const warnings = new Set(parsed.answers.flatMap((answer) => answer?.warnings ?? []));
    find("warning").textContent = [...[...warnings].map((text) => `${capital(text)}.`), parsed.fault].join(" ").trim();
    listSentences();
    await showSentence(Math.min(state.current, first.sentences.length - 1));
  } catch (error) {
    if (find("text").value === text) fault(error.message);
  }
}

function showNothing() {
  first.sentences = second.sentences = [];
  first.tree = second.tree = null;
  first.card.hidden = second.card.hidden = find("panels").hidden = true;
  find("warning").textContent = "";
  listSentences();
  say("Type a sentence, each word with one of the grammar’s tags.");
}

function listSentences() {
  const list = find("sentences");
  list.hidden = first.sentences.length < 2;
  refill(
    list,
    ...first.sentences.map((sentence, i) => {
      const mark = state.corrections.of(sentence).length ? element("span", { class: "mark" }, "corrected") : "";
      const attributes = {
        type: "button",
        "aria-current": i === state.current ? "true" : null,
        click: () => showSentence(i),
      };
      return element("li", {}, element("button", attributes, element("bdi", {}, sentence.words.join(" ")), mark));
    }),
  );
  find("download").disabled = first.sentences.length === 0;
  find("downloaded").textContent = "";
}

async function showSentence(index) {
  const sentence = first.sentences[index];
  if (index !== state.current || state.selected?.word > sentence.words.length) state.selected = null;
  Object.assign(state, { current: index, alternative: null });
  first.tree = second.tree = null;
  stopChoosing();
  await guarded(async () => {
    const sides = [first, second].filter((side) => side.sentence);
    const looks = await Promise.all(
      sides.map((side) => side.askLook({ model: side.model.name, block: side.sentence.block, trees: treesOf(side) })),
    );
    if (looks.includes(undefined) || first.sentence !== sentence) return;
    say("");
    sides.forEach((side, i) => (side.look = looks[i]));
    first.card.hidden = find("panels").hidden = false;
    second.card.hidden = !sides.includes(second);
    listSentences();
    await showTreesOfSides();
  });
}

function treesOf(side) {
  return side === first ? TREES : 1;
}

// ---------------------------------------------------------------- trees

function shownHeads(side) {
  if (side === second) return side.sentence.heads;
  return state.alternative === null ? state.corrections.heads(side.sentence) : side.look.trees[state.alternative].heads;
}

async function showTreesOfSides() {
  await Promise.all([first, second].filter((side) => !side.card.hidden).map(showTree));
  tell();
}

async function showTree(side) {
  const { sentence } = side;
  const { block, words, tags, punctuation } = sentence;
  const heads = shownHeads(side);
  const probabilities = heads.map((head, i) => (punctuation.includes(i + 1) ? null : side.look.posteriors[head][i]));
  const tree = { words, tags, heads, probabilities };
  const request = { model: side.model.name, block, heads };
  // Rules of words take longer than a picture, which does not wait for them.
  const rules = side.askRules(request).catch((error) => fault(error.message));
  side.drawnFor = room(side);
  const picture = await side.askPicture({ ...request, probabilities, width: side.drawnFor });
  if (picture && side.sentence === sentence) {
    Object.assign(side, { tree, rules: null });
    side.view.show(picture.svg, tree);
  }
  rules.then((answer) => {
    if (!answer || side.tree !== tree) return;
    side.rules = answer;
    tell();
  });
}

/** How wide a picture may be: words that run down the page need no room. */
function room(side) {
  return state.isDown ? 0 : side.view.width;
}

/** Everything that is said about the trees, once they are drawn. */
function tell() {
  if (!first.tree) return;
  const compared = second.tree !== null;
  const others = compared ? differing(first.tree.heads, second.tree.heads) : [];
  const marks = others.filter((child) => !first.sentence.punctuation.includes(child));
  const own = state.alternative === null ? state.corrections.of(first.sentence) : [];
  for (const side of [first, second]) {
    if (!side.tree) continue;
    const selected = state.selected?.side === side ? state.selected.word : 0;
    side.view.mark({
      selected,
      choosing: side === first ? state.choosing : 0,
      corrected: side === first ? own : [],
      kept: state.alternative === null || side === second ? side.sentence.kept.filter((child) => !own.includes(child)) : [],
      differing: marks,
    });
    const corrected = side === first && own.length > 0;
    side.legend.textContent = [
      "A faint arc is an improbable one.",
      corrected ? "Green: your correction." : "",
      side.sentence.kept.length ? "Violet: a head of your text." : "",
      marks.length ? "Dashed: differs between the grammars." : "",
    ].join(" ");
  }
  describeFirst(first, state, own);
  if (compared) describeSecond(second, first, marks);
  const side = state.selected?.side.tree ? state.selected.side : first;
  const selected = state.selected?.side === side ? state.selected.word : 0;
  showWhy(find("why"), side.tree, selected, side.rules);
  const act = side === first ? { choose: (head) => setHead(selected, head), change: () => choose(selected) } : {};
  showHeads(find("heads"), side.tree, selected, side.look.posteriors, act);
  const shown = state.alternative ?? first.look.trees.findIndex((tree) => same(tree.heads, first.tree.heads));
  showTrees(find("trees"), first.look, first.sentence.punctuation, shown, showAlternative);
  find("keep").hidden = state.alternative === null || same(first.tree.heads, state.corrections.heads(first.sentence));
  find("undo").hidden = !state.corrections.canUndo(first.sentence);
  find("reset").hidden = state.alternative === null && own.length === 0;
}

// ---------------------------------------------------------------- looking and correcting

function select(side, number) {
  state.selected = { side, word: number };
  stopChoosing();
  tell();
}

function showAlternative(index) {
  if (!first.tree) return;
  const isOwn = same(first.look.trees[index].heads, state.corrections.heads(first.sentence));
  state.alternative = isOwn ? null : index;
  stopChoosing();
  guarded(showTreesOfSides);
}

/** Ask for the new head of a word. */
function choose(child) {
  if (!first.tree) return;
  state.choosing = child;
  state.selected = { side: first, word: child };
  question(
    ["Click the new head of ", quoted(first.tree.words[child - 1]), "."],
    [["Make it the root", () => setHead(child, 0)], ["Cancel", stopChoosing]],
  );
  tell();
  first.view.focus(child);
}

function stopChoosing() {
  state.choosing = 0;
  question(null);
  tell();
}

/** Give a word another head; what would make no tree is not done but asked about. */
function setHead(child, head) {
  if (!first.tree) return;
  const { words, heads } = first.tree;
  const [name, other] = [words[child - 1], head ? words[head - 1] : ""];
  const inWay = obstacle(heads, child, head);
  if (inWay === "itself") {
    question([quoted(name), " cannot be its own head. Click another word."], [["Cancel", stopChoosing]]);
  } else if (inWay === "circle") {
    const why = [quoted(other), " hangs below ", quoted(name), ", so the heads would go in a circle."];
    const offer = [" Put ", quoted(other), " in the place of ", quoted(name), ", as its head?"];
    const swap = () => correct(inThePlaceOf(heads, head, child), child);
    question([...why, ...offer], [["Yes, put it there", swap], ["No", stopChoosing]]);
  } else if (inWay === "second root") {
    const root = rootOf(heads);
    const why = ["A tree has one root, which is ", quoted(words[root - 1]), "."];
    const offer = [" Make ", quoted(name), " the root, and the head of ", quoted(words[root - 1]), "?"];
    const swap = () => correct(inThePlaceOf(heads, child, root), child);
    question([...why, ...offer], [["Yes, make it the root", swap], ["No", stopChoosing]]);
  } else {
    correct(withHead(heads, child, head), child);
  }
}

function correct(heads, selected = null) {
  state.corrections.correct(first.sentence, heads);
  if (selected) state.selected = { side: first, word: selected };
  afterCorrection();
}

function undo() {
  if (first.tree && state.corrections.undo(first.sentence)) afterCorrection();
}

function afterCorrection() {
  state.alternative = null;
  state.choosing = 0;
  question(null);
  listSentences();
  guarded(async () => {
    await showTreesOfSides();
    // A button that is gone has taken the keyboard's place with it.
    if (document.activeElement === document.body) first.view.focus(state.selected?.word ?? 1);
  });
}

async function download() {
  await guarded(async () => {
    const sentences = first.sentences.map((sentence) => {
      return { block: sentence.block, heads: state.corrections.heads(sentence) };
    });
    const { text } = await ask("conllu", { model: first.model.name, sentences });
    const link = element("a", {
      href: URL.createObjectURL(new Blob([text], { type: "text/plain;charset=utf-8" })),
      download: "trees.conllu",
    });
    link.click();
    URL.revokeObjectURL(link.href);
    state.corrections.saved();
    const own = first.sentences.filter((sentence) => state.corrections.of(sentence).length).length;
    find("downloaded").textContent = `${plural(first.sentences.length, "sentence")}, ${own} corrected`;
  });
}

// ---------------------------------------------------------------- beginning

function listen() {
  find("model").addEventListener("change", (event) => chooseModel(event.target.value));
  find("other").addEventListener("change", (event) => chooseOther(event.target.value));
  find("text").addEventListener("input", debounced(parse, 250));
  find("example").addEventListener("click", () => {
    const { examples } = first.chosen;
    const next = (examples.indexOf(find("text").value.trim()) + 1) % examples.length;
    find("text").value = examples[next];
    state.current = 0;
    state.selected = null;
    parse();
  });
  find("download").addEventListener("click", download);
  find("turn").addEventListener("click", () => {
    state.isDown = !state.isDown;
    find("turn").setAttribute("aria-pressed", String(state.isDown));
    guarded(showTreesOfSides);
  });
  find("keep").addEventListener("click", () => first.tree && correct(first.tree.heads));
  find("undo").addEventListener("click", undo);
  find("reset").addEventListener("click", () => first.tree && correct(first.sentence.heads));
  window.addEventListener("keydown", (event) => {
    const typing = event.target.closest?.("textarea, select, input");
    if (event.key === "Escape") stopChoosing();
    if (event.key === "z" && (event.ctrlKey || event.metaKey) && !typing) {
      undo();
      event.preventDefault();
    }
  });
  window.addEventListener("beforeunload", (event) => {
    if (state.corrections.unsaved) event.preventDefault(); // the browser asks
  });
  const redraw = debounced(() => {
    if (first.tree && room(first) !== first.drawnFor) guarded(showTreesOfSides);
  }, 100);
  new ResizeObserver(redraw).observe(first.card);
}

async function begin() {
  listen();
  await guarded(async () => {
    const { models, limits, file } = await listModels();
    find("to-desk").hidden = file === null;
    find("to-desk").textContent = file === null ? "" : `Back to ${file}`;
    const options = models.map((model) => element("option", { value: model.name, title: model.about }, model.name));
    find("model").replaceChildren(...options);
    find("other").replaceChildren(
      element("option", { value: "" }, "nothing"),
      ...models.map((model) => element("option", { value: model.name, title: model.about }, model.name)),
    );
    find("text").maxLength = limits.bytes;
    find("other").disabled = models.length < 2;
    await chooseModel(models[0].name);
  });
}

begin();
