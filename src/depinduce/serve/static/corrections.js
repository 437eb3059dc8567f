// The trees that the user made, by the text of their sentences: they outlive a change of text or grammar. Of identical
// sentences each has its own, by its number among them.

import { differing, same } from "./heads.js";

export class Corrections {
  // key -> { heads, past }: the tree, and what it was before, the latest last; null: that of whichever grammar
  #made = new Map();
  #changed = false; // since they were written down

  /** Whether some would be lost with the page. */
  get unsaved() {
    return this.#changed && [...this.#made.values()].some(({ heads }) => heads !== null);
  }

  saved() {
    this.#changed = false;
  }

  /** The heads that a sentence has by now: those of the user, or of the grammar. */
  heads(sentence) {
    return this.#made.get(sentence.key)?.heads ?? sentence.heads;
  }

  /** The words of a sentence whose heads are not those of the grammar. */
  of(sentence) {
    return differing(this.heads(sentence), sentence.heads);
  }

  correct(sentence, heads) {
    if (same(heads, this.heads(sentence))) return;
    const { heads: now, past } = this.#made.get(sentence.key) ?? { heads: null, past: [] };
    const own = same(heads, sentence.heads) ? null : heads;
    this.#set(sentence, { heads: own, past: [...past, now] });
  }

  canUndo(sentence) {
    return (this.#made.get(sentence.key)?.past.length ?? 0) > 0;
  }

  /** Take the last correction back; whether there was one. */
  undo(sentence) {
    if (!this.canUndo(sentence)) return false;
    const { past } = this.#made.get(sentence.key);
    this.#set(sentence, { heads: past.at(-1), past: past.slice(0, -1) });
    return true;
  }

  #set(sentence, made) {
    this.#made.set(sentence.key, made);
    this.#changed = true;
  }
}

/** Sentences with the keys by which they are known again. */
export function withKeys(sentences) {
  const seen = new Map();
  return sentences.map((sentence) => {
    const before = seen.get(sentence.block) ?? 0;
    seen.set(sentence.block, before + 1);
    return { ...sentence, key: `${before}\n${sentence.block}` };
  });
}
