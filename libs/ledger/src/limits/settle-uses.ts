import { loadSql, type Transaction } from '@hopcount/postgres';

import type { EnrichedVisit } from '../commit/enriched-visit.js';

const SETTLE_USES = loadSql(import.meta.url, 'sql/settle-uses.sql');

/** `route` of those sent to the target after the end; what the gateway writes. */
const AFTER_THE_END = 'expired';

/**
 * The last statement of a commit, since takes at gateways wait for the rows it changes.
 * @param counted visits of links with a limit that this commit counts
 * @param keptOut those that a purge keeps out, met for the first time, of any links
 */
export async function settleUses(
  tx: Transaction,
  counted: readonly EnrichedVisit[],
  keptOut: readonly EnrichedVisit[],
): Promise<void> {
  const met = [...counted, ...keptOut];
  const kindOf = ({ route }: EnrichedVisit, place: number) => {
    if (place >= counted.length) return 'purged';
    return route === AFTER_THE_END ? 'apart' : 'counted';
  };
  await tx.query(SETTLE_USES, [met.map(({ eventId }) => eventId), met.map(({ linkId }) => linkId), met.map(kindOf)]);
}
