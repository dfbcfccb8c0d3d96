import { createHash } from 'node:crypto';

import { parseCustomSlug } from '@hopcount/links';
import { isAppError } from '@hopcount/runtime';

import { visitOf } from '../sources/read-visits.js';
import type { SourceKey } from '../sources/source-key.js';
import { RowSkipped } from '../sources/source-link.js';
import { type ImportSource, readerOf } from '../sources/sources.js';
import type { ChunkReport } from './chunk-report.js';
import type { ImportRow } from './import-store.js';
import type { FileRecord } from './read-records.js';
import type { Read } from './take-links.js';
import type { ReadVisit } from './take-visits.js';

const MAX_KEY_LENGTH = 300;

/** They have sums of visits, and nothing else of them. */
const TOTALS_ONLY: ReadonlySet<ImportSource> = new Set(['kutt', 'yourls', 'bitly']);

/** The links of a row (those without a domain go to the import's), or the visit that it is. */
export function readRow(
  given: Pick<ImportRow, 'source' | 'domain'>,
  record: FileRecord,
  report: ChunkReport,
): { links: Read[]; visits: ReadVisit[] } {
  const { row, line } = record;
  const at = { row, line };
  try {
    if ('fault' in record) throw new RowSkipped('unreadable', record.fault);
    const visit = visitOf(given.source, record.record);
    if (visit !== undefined) {
      if (visit.withoutFields.length > 0) report.note(at, 'field-not-imported', visit.withoutFields.join(', '));
      return { links: [], visits: [{ ...at, visit: { ...visit, ...storableKey(visit) } }] };
    }
    const links = readerOf(given.source)(record.record);
    remark(given.source, links, (reason, detail) => report.note(at, reason, detail));
    const read = links.map(({ link, visits, ...key }) => {
      return { ...at, visits, ...storableKey(key), link: { ...link, domain: link.domain ?? given.domain } };
    });
    return { links: read.filter((one) => keepsCode(one, report)), visits: [] };
  } catch (error) {
    if (!(error instanceof RowSkipped)) throw error;
    report.refuse(at, error.reason, error.message, error.field);
    return { links: [], visits: [] };
  }
}

/** A code that could not be the same here is refused: changed to fit, it would be that of another link. */
function keepsCode(one: Read, report: ChunkReport): boolean {
  if (one.link.customSlug === null) return true;
  try {
    parseCustomSlug(one.link.customSlug, true);
    return true;
  } catch (error) {
    if (!isAppError(error)) throw error;
    report.refuseAs(one, error);
    return false;
  }
}

/** What of a row is not imported although the row is. */
function remark(
  source: ImportSource,
  [first]: ReturnType<ReturnType<typeof readerOf>>,
  note: (reason: 'field-not-imported' | 'visits-are-totals', detail: string) => void,
): void {
  if (first === undefined) return;
  if (first.withoutFields.length > 0) note('field-not-imported', first.withoutFields.join(', '));
  if (!TOTALS_ONLY.has(source) || (first.visits ?? 0) === 0) return;
  note('visits-are-totals', `${first.visits} visits are known by their number only`);
}

function storableKey({ key, formerKey, place }: SourceKey): SourceKey {
  return {
    key: storable(key),
    ...(formerKey === undefined ? {} : { formerKey: storable(formerKey) }),
    // No link has a code or a domain that PostgreSQL cannot hold.
    ...(place === undefined || UNSTORABLE.test(key) ? {} : { place }),
  };
}

const UNSTORABLE = /[\u0000\p{Cs}]/u;

/** One that an index holds, whatever the file has. */
function storable(key: string): string {
  const isPlain = key.length <= MAX_KEY_LENGTH && !UNSTORABLE.test(key);
  return isPlain ? key : `sha256:${createHash('sha256').update(key).digest('hex')}`;
}
