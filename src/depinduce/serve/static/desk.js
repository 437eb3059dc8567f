// The desk: a file whose trees are corrected. Whatever is done is saved by the server before it is shown.

import { chooseLabel } from "./label_chooser.js";
import { SentenceList } from "./desk_list.js";
import { showRetraining } from "./desk_retraining.js";
import { bar, capital, debounced, element, find, number, plural, quoted, refill, word as named } from "./dom.js";
import { fault, guarded, question, say } from "./messages.js";
import { ask, latest } from "./server.js";
import { TreeView } from "./tree_view.js";

const BUSY = 1000; // milliseconds between two looks at a server that has something on its way
const IDLE = 10000; // and at one that has not: others may work, too
const PROGRESS = { waiting: "Loading the grammar …", learning: "The grammar learns the order of the language …" };
const WHOSE = { own: "yours", file: "from the file", grammar: "the grammar’s" };

const state = {
  desk: null, // as the server describes it
  shown: null, // the sentence, as the server has it
  selected: 0, // a word of it
  choosing: 0, // the word whose new head is to be clicked
  known: new Map(), // the version and the work of each sentence that was last seen here, by its number
  past: new Map(), // what can be undone, by the number of the sentence, the latest last: { work before, version after }
  failed: new Map(), // how many saves of a sentence have come to nothing
  isDown: false, // whether words run down the page
  isTouched: false, // whether somebody has begun to work
  drawnFor: 0, // the width that the picture has room for
};
const list = new SentenceList((number) => {
  state.isTouched = true;
  return guarded(() => show(number));
});
const view = new TreeView(
  find("first").querySelector(".tree"),
  {
    word: (number) => (state.choosing ? setHead(state.choosing, number) : select(number)),
    head: setHead,
    key: (number, key) => {
      if (key === "h") chooseHead(number);
      else if (key === "l") nameArc(number);
      else if (key === "o") leaveOpen(number);
      else if (key === "r") setHead(number, 0);
      else if (key === "0" && state.choosing) setHead(state.choosing, 0);
      else return false;
      return true;
    },
  },
  true,
);
const askSentence = latest((request) => ask("desk-sentence", request));

const room = () => (state.isDown ? 0 : view.width);

// ---------------------------------------------------------------- the sentence

async function show(number) {
  const sentence = await askSentence({ number, width: room() });
  if (!sentence) return;
  if (state.shown?.number !== number) state.selected = 0;
  fault("");
  take(sentence);
}

/** Show a sentence as the server has it by now. */
function take(sentence) {
  know(sentence);
  state.shown = sentence;
  state.drawnFor = room();
  state.choosing = 0;
  question(null);
  say("");
  find("first").hidden = find("panels").hidden = false;
  view.show(sentence.svg, sentence);
  list.mark(sentence);
  tell();
}

function know({ number, version, work }) {
  state.known.set(number, { version, work });
}

function tell() {
  const { shown } = state;
  if (!shown) return;
  const words = (whose) => shown.whose.flatMap((one, i) => (one === whose ? [i + 1] : []));
  view.mark({ selected: state.selected, choosing: state.choosing, corrected: words("own"), kept: words("file") });
  const card = find("first");
  card.classList.toggle("is-checked", shown.checked);
  const judged = shown.verdict && `${shown.verdict}: about ${Math.round(100 * shown.certainty)} of 100 heads are probably right`;
  card.querySelector(".about").replaceChildren(
    element("h2", {}, `Sentence ${shown.number + 1} of ${state.desk.sentences}`),
    element("p", {}, [`line ${shown.line}`, shown.name].filter(Boolean).join(" · ")),
    element("p", { class: "verdict" }, shown.checked ? "Checked" : judged ? capital(judged) : "All heads are known"),
    ...shown.signs.map((sign) => element("p", { class: "sign" }, capital(sign))),
    ...shown.lost.map((child) => element("p", { class: "sign" }, "The head of ", quoted(shown.words[child - 1]), " is in no tree with the others")),
  );
  const kinds = [
    "A faint arc is an improbable one.",
    words("own").length ? "Green: yours." : "",
    words("file").length ? "Violet: from the file." : "",
  ];
  card.querySelector(".legend").textContent = kinds.filter(Boolean).join(" ");
  find("check").setAttribute("aria-pressed", String(shown.checked));
  find("check").textContent = shown.checked ? "Checked" : "Mark as checked";
  find("undo").disabled = undoable(shown.number) === null;
  tellWord();
}

/** What is known of the word that is selected, and what can be done with it. */
function tellWord() {
  const { shown, selected } = state;
  const place = find("word");
  if (!selected) {
    refill(
      place,
      element("h3", {}, "Keys"),
      element(
        "dl",
        { class: "keys" },
        ...[
          ["← →", "from word to word"],
          ["h", "choose the head, r: make it the root"],
          ["l", "name the relation"],
          ["o", "leave the head to the grammar"],
          ["c", "checked, and on to the next"],
          ["n p", "next sentence, the one before"],
          ["Ctrl z", "undo"],
        ].flatMap(([key, what]) => [element("dt", {}, ...key.split(" ").map((one) => element("kbd", {}, one))), element("dd", {}, what)]),
      ),
    );
    return;
  }
  const head = shown.heads[selected - 1];
  const probability = shown.probabilities[selected - 1];
  const whose = shown.whose[selected - 1];
  const above = head ? named(shown.words[head - 1]) : element("i", {}, "root");
  refill(
    place,
    element("h3", {}, "The arc of ", quoted(shown.words[selected - 1])),
    element("p", { class: "arc-line" }, above, " → ", named(shown.words[selected - 1])),
    element("p", {}, `${shown.labels[selected - 1]}${isNamed(selected) ? ", as you named it" : ""}; the head is ${WHOSE[whose]}`),
    probability === null
      ? ""
      : element("p", { class: "posterior" }, bar(probability), element("b", {}, number(probability)), " that this is right"),
    element(
      "p",
      { class: "actions" },
      element("button", { type: "button", id: "change", click: () => chooseHead(selected) }, "Choose the head"),
      element("button", { type: "button", id: "name", click: () => nameArc(selected) }, "Name the relation"),
      isGrammars(selected) ? "" : element("button", { type: "button", id: "open", click: () => leaveOpen(selected) }, "Leave it to the grammar"),
      whose === "grammar" ? element("button", { type: "button", id: "keep", click: () => setHead(selected, head) }, "Keep this head") : "",
    ),
  );
}

/** Whether somebody here gave the relation of a word its name. */
function isNamed(word) {
  const { work, labels } = state.shown;
  return work.labels[word] === labels[word - 1];
}

/** Whether both the head and the relation of a word are the grammar’s. */
function isGrammars(word) {
  return state.shown.whose[word - 1] === "grammar" && !isNamed(word);
}

function select(number) {
  state.selected = number;
  state.isTouched = true;
  stopChoosing();
  tell();
}

// ---------------------------------------------------------------- doing

let saving = Promise.resolve(); // one save after the other: each begins with what the one before has left

/**
 * Save one thing that was done to the sentence that is shown. What the server does not confirm is not shown, and what
 * was done on top of it is not saved, either.
 */
function save(change) {
  state.isTouched = true;
  const { number } = state.shown;
  const failed = state.failed.get(number);
  saving = saving.then(() => (state.failed.get(number) === failed ? guarded(() => saveNow(number, change)) : undefined));
  return saving;
}

async function saveNow(number, change) {
  const before = state.known.get(number);
  const fail = () => state.failed.set(number, (state.failed.get(number) ?? 0) + 1);
  const again = async () => {
    if (state.shown.number !== number) await show(number);
    await save(change);
  };
  let answer;
  try {
    answer = await ask("desk-save", { number, version: before.version, width: room(), ...change });
  } catch (error) {
    fail();
    const why = `Not saved (sentence ${number + 1}). ${error.message}`;
    question([why], [["Try again", () => guarded(again)], ["Leave it", stopChoosing]]);
    throw error;
  }
  fault("");
  if (!answer.saved) {
    fail();
    if (state.shown.number !== number) await show(number); // whoever has gone on is told, too
    else take(answer.sentence);
    const why = "Somebody else has saved this sentence since you saw it. What you see now is theirs; yours is not saved.";
    const both = change.work ? [] : [["Do mine, too", () => guarded(again)]]; // an undo would take theirs away
    question([why], [...both, ["Keep theirs", stopChoosing]]);
    return;
  }
  remember(number, before, answer.sentence, change);
  if (state.shown.number === number) {
    const at = view.at;
    const had = document.activeElement;
    take(answer.sentence);
    // A button that is gone has taken the keyboard's place with it.
    if (had === document.body || !had?.isConnected) view.focus(state.selected || at);
  } else {
    know(answer.sentence);
    list.note(answer.sentence);
  }
  soon();
}

/** What can be undone after a save. */
function remember(number, before, after, change) {
  const past = undoable(number, before.version) ?? [];
  if (!change.work) state.past.set(number, [...past, { work: before.work, version: after.version }]);
  else state.past.set(number, past.slice(0, -1).map((one, i) => (i === past.length - 2 ? { ...one, version: after.version } : one)));
}

/** What can be undone of a sentence; null if there is nothing, or if somebody else has saved it since. */
function undoable(number, version = state.known.get(number)?.version) {
  const past = state.past.get(number) ?? [];
  return past.length && past.at(-1).version === version ? past : null;
}

function setHead(word, head) {
  if (word === head) {
    question([quoted(state.shown.words[word - 1]), " cannot be its own head. Click another word."], [["Cancel", stopChoosing]]);
    return;
  }
  state.selected = word;
  save({ word, head });
}

function chooseHead(word) {
  state.isTouched = true;
  state.choosing = state.selected = word;
  question(
    ["Click the new head of ", quoted(state.shown.words[word - 1]), ", or go to it and press Enter."],
    [["Make it the root", () => setHead(word, 0)], ["Cancel", stopChoosing]],
  );
  tell();
  view.focus(word);
}

function stopChoosing() {
  state.choosing = 0;
  question(null);
  if (state.shown) tell();
}

function nameArc(word) {
  state.isTouched = true;
  state.selected = word;
  stopChoosing();
  const about = { name: state.shown.words[word - 1], current: state.shown.labels[word - 1], labels: state.desk.labels };
  // A name that the grammar has proposed is the next grammar’s to change, unless somebody has said that it is right.
  const isSettled = state.shown.checked || isNamed(word) || state.shown.whose[word - 1] === "file";
  chooseLabel(find("label-chooser"), about, async (label) => {
    if (label !== null && !(isSettled && label === about.current)) await save({ word, label });
    view.focus(word);
  });
}

function leaveOpen(word) {
  if (!isGrammars(word)) save({ word, open: true });
}

async function check(isChecked = !state.shown.checked) {
  const { number } = state.shown;
  await save({ checked: isChecked });
  return state.shown.number === number && state.shown.checked === isChecked;
}

function undo() {
  const past = state.shown && undoable(state.shown.number);
  if (past) save({ work: past.at(-1).work });
}

// ---------------------------------------------------------------- the file

function takeDesk(desk) {
  const finished = state.desk && state.desk.surveyed < desk.sentences && desk.surveyed === desk.sentences;
  const other = state.desk && state.desk.grammar !== desk.grammar;
  state.desk = desk;
  document.title = `${desk.file} · depinduce`;
  find("about-file").replaceChildren(
    element("bdi", {}, desk.file),
    ` · ${plural(desk.sentences, "sentence")}, ${desk.checked} checked`,
  );
  find("about-file").title = `saved to ${desk.journal}`;
  const options = desk.grammars.map((one) =>
    element("option", { value: one.name, title: one.about, ...(one.name === desk.grammar ? { selected: "" } : {}) }, one.name),
  );
  const names = (place) => [...place.options].map((one) => one.value).join("\n");
  const chooser = find("grammar");
  if (names(chooser) !== desk.grammars.map((one) => one.name).join("\n")) chooser.replaceChildren(...options);
  if (document.activeElement !== chooser) chooser.value = desk.grammar;
  if (find("labels").childElementCount !== desk.labels.length) {
    find("labels").replaceChildren(...desk.labels.map((label) => element("option", { value: label })));
  }
  find("export-checked").disabled = desk.checked === 0;
  const left = desk.state === "failed" ? desk.fault : PROGRESS[desk.state];
  find("surveyed").textContent =
    left ?? (desk.surveyed < desk.sentences ? `${desk.surveyed} of ${plural(desk.sentences, "sentence")} parsed so far` : "");
  showRetraining(desk, {
    begin: () => guarded(async () => takeDesk(await ask("desk-retrain", {}))).then(soon),
    stop: () => guarded(async () => takeDesk(await ask("desk-stop", {}))),
    showChanged: () => choose({ state: "changed" }),
  });
  if (finished || other) {
    guarded(async () => {
      await list.load();
      // Whoever has not begun yet begins with the first, which was another before.
      const number = state.isTouched ? state.shown?.number : list.first;
      if (number !== undefined) await show(number);
    });
  }
}

/** Wish for other sentences. */
function choose(wanted) {
  for (const field of find("filters").elements) field.value = wanted[field.name] ?? (field.name === "order" ? "file" : "");
  return guarded(async () => {
    await list.want();
    if (list.first !== undefined) await show(list.first);
  });
}

let timer = null;

async function poll() {
  clearTimeout(timer);
  let busy = true;
  try {
    takeDesk(await ask("desk", {}));
    const { desk } = state;
    const running = desk.retraining.state === "training" || desk.retraining.state === "scoring";
    busy = running || (desk.state !== "failed" && desk.surveyed < desk.sentences);
  } catch (error) {
    fault(error.message);
  }
  timer = setTimeout(poll, busy ? BUSY : IDLE);
}

/** Look at the server before it is time. */
function soon() {
  clearTimeout(timer);
  timer = setTimeout(poll, 100);
}

async function exported(checked) {
  await guarded(async () => {
    const parts = [];
    let next = 0;
    let total = 0;
    while (next !== null) {
      const answer = await ask("desk-export", { checked, from: next });
      parts.push(answer.text);
      ({ next, sentences: total } = answer);
      find("exported").textContent = next === null ? "" : `${next} of ${total} …`;
    }
    const name = state.desk.file.replace(/\.conllu$/, "");
    const link = element("a", {
      href: URL.createObjectURL(new Blob(parts, { type: "text/plain;charset=utf-8" })),
      download: `${name}-${checked ? "checked" : "trees"}.conllu`,
    });
    link.click();
    URL.revokeObjectURL(link.href);
    find("exported").textContent = plural(total, "sentence");
  });
}

// ---------------------------------------------------------------- beginning

function keys(event) {
  if (event.key === "Escape") stopChoosing();
  if (!state.shown || event.target.closest?.("input, select, textarea")) return;
  if (event.key === "z" && (event.ctrlKey || event.metaKey)) undo();
  else if (event.ctrlKey || event.metaKey || event.altKey) return;
  else if (event.key === "n") guarded(() => list.step(1));
  else if (event.key === "p") guarded(() => list.step(-1));
  else if (event.key === "c") (state.shown.checked ? Promise.resolve(true) : check(true)).then((done) => done && list.step(1));
  else return;
  event.preventDefault();
}

function listen() {
  find("grammar").addEventListener("change", (event) =>
    guarded(async () => {
      takeDesk(await ask("desk-use", { grammar: event.target.value }));
      soon();
    }),
  );
  const want = debounced(() => guarded(() => list.want()), 250);
  find("filters").addEventListener("input", want);
  find("filters").addEventListener("submit", (event) => event.preventDefault());
  find("before").addEventListener("click", () => guarded(() => list.step(-1)));
  find("after").addEventListener("click", () => guarded(() => list.step(1)));
  find("check").addEventListener("click", () => check());
  find("undo").addEventListener("click", undo);
  find("turn").addEventListener("click", () => {
    state.isDown = !state.isDown;
    find("turn").setAttribute("aria-pressed", String(state.isDown));
    guarded(() => show(state.shown.number));
  });
  find("export").addEventListener("click", () => exported(false));
  find("export-checked").addEventListener("click", () => exported(true));
  window.addEventListener("keydown", keys);
  const redraw = debounced(() => state.shown && room() !== state.drawnFor && guarded(() => show(state.shown.number)), 100);
  new ResizeObserver(redraw).observe(find("first"));
}

async function begin() {
  listen();
  say(PROGRESS.waiting, true);
  await poll();
  await guarded(async () => {
    if (!state.desk) return;
    await list.want();
    if (list.first !== undefined) await show(list.first);
  });
}

begin();
