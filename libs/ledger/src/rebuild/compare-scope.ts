import type { Database } from '@hopcount/postgres';
import { inSteps, type ShowsProgress } from '@hopcount/runtime';

import type { Difference } from '../verify/checks.js';
import { StatisticsVerifier, type VerifyOptions } from '../verify/statistics-verifier.js';
import { LedgerRebuild } from './ledger-rebuild.js';
import { startLinkProgress } from './link-progress.js';
import { chunksOf, type RebuildScope } from './rebuild-scope.js';

const CHUNK_LINKS = 1_000;

/** What is kept, held against what the ledger says; each link, or everything, in a snapshot of its own. */
export async function compareScope(
  database: Database,
  scope: RebuildScope,
  { slots, shown }: Pick<VerifyOptions, 'slots'> & { shown: ShowsProgress },
): Promise<Difference[]> {
  const verifier = new StatisticsVerifier(database);
  if (scope.whole) {
    const compared = await inSteps(shown, 'checks', (onStep) => verifier.verify({ slots, onStep }));
    return compared.differences;
  }
  const progress = await startLinkProgress(database, shown, 'links compared', scope);
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
