/** As LinkCodes judges: codes grow when more than a hundredth of this many draws in a row collided. */
const DRAWS_JUDGED = 1_000;
const MOST_COLLIDED = 10;
/** A length is looked at in so many steps at least. */
const STEPS = 20_000;

interface CodeSpace {
  /** Characters, equally likely. */
  alphabet: number;
  /** Of the first codes. */
  length: number;
}

interface CodeLength {
  length: number;
  /** Links that there are when codes get this length. */
  fromLinks: number;
}

export interface CodeGrowth {
  lengths: CodeLength[];
  /** Codes that were drawn and taken already, of all creations. */
  collisions: number;
  /** Largest probability that a draw collides. */
  worst: number;
}

/**
 * What `links` creations meet that one process makes, one domain, without a restart. Among n codes taken of N a draw collides with
 * probability p = n / N, and a creation with p / (1 - p) of its draws. One thousand draws grow the code when more than ten
 * collide, which happens by chance before p is a hundredth: with the tail of a Poisson distribution of 1,000 p. A length ends where it
 * is as likely as not that some thousand has done so.
 */
export function growthOf({ alphabet, length: first }: CodeSpace, links: number): CodeGrowth {
  const growth: CodeGrowth = { lengths: [], collisions: 0, worst: 0 };
  let made = 0;
  for (let length = first; made < links; length += 1) {
    growth.lengths.push({ length, fromLinks: made });
    const space = alphabet ** length;
    const ofLength = linksOfLength(space, links - made);
    made += ofLength;
    growth.collisions += collisionsOf(space, ofLength);
    growth.worst = Math.max(growth.worst, ofLength / space);
  }
  return growth;
}

/** Links that get a code of this length, at most `left`. */
function linksOfLength(space: number, left: number): number {
  // Beyond twice a hundredth no thousand draws stay below it.
  const step = Math.max(DRAWS_JUDGED, Math.min(left, 0.02 * space) / STEPS);
  let expectedGrowths = 0;
  for (let taken = 0; taken < left; taken += step) {
    const collided = (DRAWS_JUDGED * (taken + step / 2)) / space;
    expectedGrowths += (step / DRAWS_JUDGED) * poissonTail(MOST_COLLIDED, collided);
    if (expectedGrowths >= Math.LN2) return Math.min(left, taken + step);
  }
  return left;
}

/** Sum of p / (1 - p) while n goes from 0 to `taken`. */
function collisionsOf(space: number, taken: number): number {
  const p = taken / space;
  // Of a small p the difference of nearly equal numbers would say nothing.
  return p < 1e-4 ? (space * p * p) / 2 : space * (-Math.log1p(-p) - p);
}

/** Probability of more than `most` events where `mean` are expected. */
export function poissonTail(most: number, mean: number): number {
  let term = Math.exp(-mean);
  for (let n = 1; n <= most + 1; n += 1) term *= mean / n;
  let tail = 0;
  for (let n = most + 1; term > tail * 1e-12 && n < most + 1_000; n += 1) {
    tail += term;
    term *= mean / (n + 1);
  }
  return tail;
}
