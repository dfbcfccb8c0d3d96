import { loadSql, type Transaction } from '@hopcount/postgres';

import type { EnrichedVisit } from '../commit/enriched-visit.js';

const SETTLE_USES = loadSql(import.meta.url, 'sql/settle-uses.sql');

/** `route` of those sent to the target after the end; what the gateway writes. */
const AFTER_THE_END = 'expired';

/** Visits that a commit met. */
interface Met {
  /** Of links with a limit, counted. */
  counted?: readonly EnrichedVisit[];
  /** The same, but they take no use, whatever their route. */
  apart?: readonly EnrichedVisit[];
  /** Those that a purge keeps out, met for the first time, of any links. */
  keptOut?: readonly EnrichedVisit[];
}

/** The last statement of a commit, since takes at gateways wait for the rows it changes. */
export async function settleUses(tx: Transaction, { counted = [], apart = [], keptOut = [] }: Met): Promise<void> {
  const met = [...counted, ...apart, ...keptOut];
  const kinds = [
    ...counted.map(({ route }) => (route === AFTER_THE_END ? 'apart' : 'counted')),
    ...apart.map(() => 'apart'),
    ...keptOut.map(() => 'purged'),
  ];
  await tx.query(SETTLE_USES, [met.map(({ eventId }) => eventId), met.map(({ linkId }) => linkId), kinds]);
}
