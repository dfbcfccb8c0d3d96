import { HOUR_MS } from '@hopcount/ledger';

import type { DifferingHour } from '../manifest/archive-manifest.js';

/** Fewer are sealed one by one: a file of its own for each hour is what days are merged from. */
const FEWEST_HOURS = 6;
/** What a sealing keeps in memory of them (number and checksum of each link and bucket) stays small. */
const MOST_VISITS = 500_000;

/**
 * Which due hours (ascending, of one day) become one file: adjoining ones that no file holds anything of. So a
 * backlog takes a file a day and no merge of hours: for an hour of 2,000 visits the file takes longer than the visits.
 */
export function planStretches(due: readonly Omit<DifferingHour, 'isDue'>[]): number[][] {
  const stretches: number[][] = [];
  let visits = Infinity;
  for (const { hour, ...one } of due) {
    const last = stretches.at(-1);
    visits += one.visits;
    if (last?.at(-1) === hour - HOUR_MS && !one.filed && visits <= MOST_VISITS) {
      last.push(hour);
      continue;
    }
    stretches.push([hour]);
    visits = one.filed ? Infinity : one.visits;
  }
  return stretches.flatMap((stretch) => (stretch.length < FEWEST_HOURS ? stretch.map((hour) => [hour]) : [stretch]));
}
