// The trees that the user made, by the text of their sentences: they outlive a change of text or grammar.

import { differing, same } from "./heads.js";

export class Corrections {
  // block -> { heads, past }: the tree, and what it was before, the latest last; null: that of whichever grammar
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
    return this.#made.get(sentence.block)?.heads ?? sentence.heads;
  }

  /** The words of a sentence whose heads are not those of the grammar. */
  of(sentence) {
    return differing(this.heads(sentence), sentence.heads);
  }

  correct(sentence, heads) {
    if (same(heads, this.heads(sentence))) return;
    const { heads: now, past } = this.#made.get(sentence.block) ?? { heads: null, past: [] };
    const own = same(heads, sentence.heads) ? null : heads;
    this.#set(sentence, { heads: own, past: [...past, now] });
  }

  canUndo(sentence) {
    return (this.#made.get(sentence.block)?.past.length ?? 0) > 0;
  }

  /** Take the last correction back; whether there was one. */
  undo(sentence) {
    if (!this.canUndo(sentence)) return false;
    const { past } = this.#made.get(sentence.block);
    this.#set(sentence, { heads: past.at(-1), past: past.slice(0, -1) });
    return true;
  }

  #set(sentence, made) {
    this.#made.set(sentence.block, made);
    this.#changed = true;
  }
}
