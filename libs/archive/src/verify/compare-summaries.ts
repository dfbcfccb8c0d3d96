import { isDeepStrictEqual } from 'node:util';

import { archivedVisits, sumOf } from '../duckdb/archived-visits.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import { summarise } from '../summaries/link-summary.js';
import { readIndex, readSummary } from '../summaries/summary-block.js';
import type { ArchiveDifference } from './archive-verifier.js';

/** Holds a file's summaries of links against its rows. */
export async function compareSummaries(
  session: DuckSession,
  { path, local }: { path: string; local: string },
): Promise<ArchiveDifference[]> {
  const index = await readIndex(local);
  if (index.size === 0) return [];
  const ofLinks = `(${archivedVisits([local])}) WHERE link_id IN (${[...index.keys()].join(', ')})`;
  await session.run(`CREATE OR REPLACE TEMP TABLE summed AS ${sumOf(ofLinks)}`);
  const differing = new Set(index.keys());
  for await (const [linkId, summary] of summarise(session, local, 'summed', 1)) {
    const place = index.get(linkId);
    if (place !== undefined && isDeepStrictEqual(await readSummary(local, place), summary)) differing.delete(linkId);
  }
  if (differing.size === 0) return [];
  const [expected, actual] = ['as its rows', `those of links ${[...differing].join(', ')} differ`];
  return [{ where: path, check: 'summaries', expected, actual }];
}
