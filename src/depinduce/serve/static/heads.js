// Trees as heads: heads[i] is the head of word i + 1, counted from 1; 0 is the root.

/** The words above a word, the nearest first. */
export function above(heads, word) {
  const way = [];
  for (let head = heads[word - 1]; head > 0 && way.length <= heads.length; head = heads[head - 1]) way.push(head);
  return way;
}

/** What stands in the way of a new head: "itself", "circle", "second root", or nothing. */
export function obstacle(heads, word, head) {
  if (head === word) return "itself";
  if (head === heads[word - 1]) return null;
  if (head === 0) return "second root";
  return above(heads, head).includes(word) ? "circle" : null;
}

export function withHead(heads, word, head) {
  return heads.map((old, i) => (i === word - 1 ? head : old));
}

/** The tree in which a word from below another takes the other's place, and has it as a child. */
export function inThePlaceOf(heads, riser, other) {
  return withHead(withHead(heads, riser, heads[other - 1]), other, riser);
}

export function rootOf(heads) {
  return heads.indexOf(0) + 1;
}

/** The words that have different heads in two trees. */
export function differing(heads, others) {
  return heads.map((head, i) => (head === others[i] ? 0 : i + 1)).filter((word) => word > 0);
}

export function same(heads, others) {
  return differing(heads, others).length === 0;
}
