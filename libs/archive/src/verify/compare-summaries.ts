import { appendFile, writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';

import { DAY_MS } from '@hopcount/ledger';

import { dimensionHashes, HASH_OF_VALUES, placeOf } from '../dimensions.js';
import { archivedVisits } from '../duckdb/archived-visits.js';
import type { DuckSession } from '../duckdb/duck-database.js';
import { csvLine, readCsv } from '../duckdb/read-csv.js';
import type { WorkFolder } from '../files/work-folder.js';
import type { PeriodSum } from '../read/judge-sums.js';
import { type DimensionSum, type LinkSummary, summarise } from '../summaries/link-summary.js';
import { readIndex, readSummary, type SummaryIndex } from '../summaries/summary-block.js';
import type { ArchiveDifference } from './archive-verifier.js';

const VALUE_COLUMNS = [
  { name: 'link_id', type: 'BIGINT' },
  { name: 'dimension', type: 'VARCHAR' },
  { name: 'value', type: 'VARCHAR' },
  { name: 'country', type: 'VARCHAR' },
  { name: 'visits', type: 'HUGEINT' },
];
/** No value of a link has more in a file; with it, sums of hashes of 64 bits are exact. */
const MOST_VISITS = 2 ** 40;

export interface SummarisedFile {
  path: string;
  local: string;
  /** A DuckDB relation of what it holds of each link and bucket; rows of the same are added up. */
  sums: string;
}

/** Of a link: its days, and for each dimension a sum of hashes of its visits' values. */
type Digest = Record<string, unknown>;

/**
 * Holds a file's summaries of links against its rows: days as they are, dimensions by sums of hashes. A dimension with a wrong number is
 * overlooked with a probability of 2^-64. Where sums differ, the summary is made anew and compared value by value, so none is blamed in vain.
 */
export async function compareSummaries(
  session: DuckSession,
  work: WorkFolder,
  { path, local, sums }: SummarisedFile,
): Promise<ArchiveDifference[]> {
  const index = await readIndex(local);
  if (index.size === 0) return [];
  const [ofSummaries, ofRows] = [
    await digestSummaries(session, work, local, index),
    await digestRows(session, { local, sums }, index),
  ];
  const suspects = [...index.keys()].filter((link) => !isDeepStrictEqual(ofSummaries.get(link), ofRows.get(link)));
  const differing = suspects.length === 0 ? [] : await differingAmong(session, { local, sums }, index, suspects);
  if (differing.length === 0) return [];
  const [expected, actual] = ['as its rows', `those of links ${differing.join(', ')} differ`];
  return [{ where: path, check: 'summaries', expected, actual }];
}

/** One at a time is in memory. */
async function digestSummaries(
  session: DuckSession,
  work: WorkFolder,
  local: string,
  index: SummaryIndex,
): Promise<Map<string, Digest>> {
  return work.aside(async (csv) => {
    const digests = new Map<string, Digest>();
    await writeFile(csv, '', { mode: 0o600 });
    for (const [link, place] of index) {
      const { days, dimensions } = await readSummary(local, place);
      if (!dimensions.every(isWellFormed)) continue;
      digests.set(link, { days });
      await appendFile(csv, linesOf(link, dimensions));
    }
    const sums = await session.rows<{ link: string; dimension: string; hash: string }>(
      `SELECT link_id::VARCHAR AS link, dimension, ${HASH_OF_VALUES}::VARCHAR AS hash
       FROM ${readCsv(csv, VALUE_COLUMNS)} GROUP BY link_id, dimension`,
    );
    for (const { link, dimension, hash } of sums) Object.assign(digests.get(link) ?? {}, { [dimension]: hash });
    return digests;
  });
}

function isWellFormed({ values, visits }: DimensionSum): boolean {
  return (
    values.length === visits.length &&
    visits.every((count) => Number.isInteger(count) && Math.abs(count) <= MOST_VISITS)
  );
}

function linesOf(link: string, dimensions: LinkSummary['dimensions']): string {
  const ofOne = ({ dimension, values, visits }: DimensionSum) =>
    values.map((value, n) => csvLine([link, dimension, ...placeOf(dimension, value), visits[n] as number]));
  return dimensions.flatMap(ofOne).join('');
}

async function digestRows(
  session: DuckSession,
  { local, sums }: Pick<SummarisedFile, 'local' | 'sums'>,
  index: SummaryIndex,
): Promise<Map<string, Digest>> {
  const ofLinks = `link_id IN (${[...index.keys()].join(', ')})`;
  const hashes = await session.rows<Record<string, string> & { link: string }>(
    `SELECT link_id::VARCHAR AS link, ${dimensionHashes()} FROM (${archivedVisits([local])}) WHERE ${ofLinks} GROUP BY link_id`,
  );
  const days = await session.rows<PeriodSum & { link: string }>(
    `SELECT link_id::VARCHAR AS link, (bucket // ${DAY_MS} * ${DAY_MS})::DOUBLE AS start, sum(visits)::DOUBLE AS visits,
       bit_xor(checksum)::VARCHAR AS checksum
     FROM ${sums} WHERE ${ofLinks} GROUP BY 1, 2 ORDER BY 2`,
  );
  const digests = new Map<string, Digest & { days: PeriodSum[] }>();
  for (const { link, ...ofDimensions } of hashes) digests.set(link, { ...ofDimensions, days: [] });
  for (const { link, ...day } of days) digests.get(link)?.days.push(day);
  return digests;
}

/** Those whose summaries, made anew, are others. */
async function differingAmong(
  session: DuckSession,
  { local, sums }: Pick<SummarisedFile, 'local' | 'sums'>,
  index: SummaryIndex,
  suspects: readonly string[],
): Promise<string[]> {
  const ofSuspects = `(SELECT * FROM ${sums} WHERE link_id IN (${suspects.join(', ')}))`;
  const differing = new Set(suspects);
  for await (const [linkId, summary] of summarise(session, local, ofSuspects, 1)) {
    const place = index.get(linkId);
    if (place !== undefined && isDeepStrictEqual(await readSummary(local, place), summary)) differing.delete(linkId);
  }
  return [...differing];
}
