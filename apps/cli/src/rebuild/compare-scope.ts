import type { Database } from '@hopcount/postgres';
import type { Difference } from '@hopcount/ledger';

import type { CliContext } from '../context.js';
import { createLinkProgress } from '../operator-actions/link-progress.js';
import { chunksOf, type RebuildScope } from './rebuild-scope.js';

const CHUNK_LINKS = 1_000;

/** What is kept, held against what the ledger says; each link, or everything, in a snapshot of its own. */
export async function compareScope(
  context: CliContext,
  database: Database,
  scope: RebuildScope,
): Promise<Difference[]> {
  const { LedgerRebuild, StatisticsVerifier } = await import('@hopcount/ledger');
  const verifier = new StatisticsVerifier(database);
  const { slots } = context.config();
  if (scope.whole) {
    const compared = await context.terminal.inSteps('checks', (onStep) => verifier.verify({ slots, onStep }));
    return compared.differences;
  }
  const progress = await createLinkProgress(database, context.terminal, { ...scope, what: 'links compared' });
  const differences: Difference[] = [];
  let compared = 0;
  for await (const links of chunksOf(new LedgerRebuild(database), scope, CHUNK_LINKS)) {
    for (const linkId of links) {
      differences.push(...(await verifier.verify({ linkId, slots })).differences);
      compared += 1;
      progress.at(compared);
    }
  }
  progress.end();
  return differences;
}
