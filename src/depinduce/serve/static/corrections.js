// The trees that the user made, by the text of their sentences: they outlive a change of text or grammar.

import { differing, same } from "./heads.js";

export class Corrections {
  #made = new Map(); // block -> { heads, past }: the tree, and what it was before, the latest last

  /** The heads that a sentence has by now: those of the user, or of the grammar. */
  heads(sentence) {
    return this.#made.get(sentence.block)?.heads ?? sentence.heads;
  }

  /** The words of a sentence whose heads are not those of the grammar. */
  of(sentence) {
    return differing(this.heads(sentence), sentence.heads);
  }

  correct(sentence, heads) {
    const now = this.heads(sentence);
    if (same(heads, now)) return;
    const past = this.#made.get(sentence.block)?.past ?? [];
    this.#made.set(sentence.block, { heads, past: [...past, now] });
  }

  canUndo(sentence) {
    return (this.#made.get(sentence.block)?.past.length ?? 0) > 0;
  }

  /** Take the last correction back; whether there was one. */
  undo(sentence) {
    if (!this.canUndo(sentence)) return false;
    const { past } = this.#made.get(sentence.block);
    this.#made.set(sentence.block, { heads: past.at(-1), past: past.slice(0, -1) });
    return true;
  }
}
