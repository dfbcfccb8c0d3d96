import { type Channel, CHANNELS, CLASS_REASONS, VISIT_CLASSES } from '@hopcount/contracts';
import { type InstantRange, type LabelRules, VisitRelabeler } from '@hopcount/ledger';
import { expect } from '@jest/globals';

import type { ScopedVisit } from './scope-model.spec-helpers.js';
import { FROM, type ScopedHistory, SPAN } from './scoped-history.spec-helpers.js';

/** Rules that read all they are given, and say something else in each turn. */
export function rulesOf(turn: number): LabelRules {
  return {
    classOf: (client) => {
      const steps = client.isImported ? 0 : turn * (client.isAnonymous ? 2 : 1);
      const given = VISIT_CLASSES.indexOf(client.class);
      const reason = client.classReason === null ? 0 : CLASS_REASONS.indexOf(client.classReason);
      return {
        class: VISIT_CLASSES[(given + steps) % VISIT_CLASSES.length]!,
        reason: CLASS_REASONS[(reason + turn) % CLASS_REASONS.length]!,
      };
    },
    channelOf: ({ referrer, utmSource, utmMedium, destination, domain, isImported }): Channel => {
      const text = [referrer, utmSource, utmMedium, destination, domain, isImported].join('|');
      return CHANNELS[(text.length + turn) % CHANNELS.length]!;
    },
  };
}

/** The visits as such rules label those of the range. */
export function relabelled(
  visits: readonly ScopedVisit[],
  rules: LabelRules,
  { from, to }: InstantRange,
): ScopedVisit[] {
  return visits.map((visit) => {
    if (visit.occurredAtMs < from || visit.occurredAtMs >= to) return visit;
    const isImported = visit.importedFrom !== null;
    const { class: judged, reason } = rules.classOf({
      ...visit,
      isImported,
      isAnonymous: visit.visitor === null && visit.ip === null,
    });
    const channel = rules.channelOf({
      ...visit,
      utmSource: visit.utm?.['source'] ?? null,
      utmMedium: visit.utm?.['medium'] ?? null,
      domain: visit.domainId === 1 ? 's.test' : 'two.test',
      isImported,
    });
    return { ...visit, class: judged, classReason: reason, channel };
  });
}

/** As `hopcount relabel` does, of a part of the history or of all. @returns how many visits have another class */
export async function relabel(history: ScopedHistory): Promise<number> {
  const { random, files, ledger } = history;
  const limits = [0, 0].map(() => FROM + random.below(SPAN.to - FROM)).sort((a, b) => a - b);
  const range = random.below(2) === 0 ? SPAN : { from: limits[0]!, to: limits[1]! + 1 };
  const rules = rulesOf(1 + random.below(4));
  const relabeler = new VisitRelabeler(ledger.database, rules, { hasSlots: true, visitsAtOnce: 7 });
  const run = await relabeler.open(range);
  await relabeler.read(run);
  const after = relabelled(history.visits, rules, range);
  let changed = 0;
  await files.archive.relabel(run, rules, { apply: async (tx) => void (changed = await relabeler.switch(tx, run)) });
  expect(changed).toBe(after.filter((visit, n) => visit.class !== history.visits[n]!.class).length);
  history.visits = after;
  return changed;
}
