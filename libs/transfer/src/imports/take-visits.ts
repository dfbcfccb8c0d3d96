import type { VisitCommitter } from '@hopcount/ledger';
import { loadSql, postgresErrorCode, type Queryable, type Transaction } from '@hopcount/postgres';
import { AppError, failpoint } from '@hopcount/runtime';

import type { SourceVisit } from '../sources/source-visit.js';
import type { ChunkReport, Place } from './chunk-report.js';
import type { ImportRow } from './import-store.js';
import { eventIdOf, identityOf, toEnriched } from './visit-events.js';

const COUNT_IDENTITIES = loadSql(import.meta.url, 'sql/count-identities.sql');
const FIND_DOMAINS = 'SELECT authority FROM domains WHERE authority = ANY ($1::text[])';
const FIND_VISITED = loadSql(import.meta.url, 'sql/find-visited.sql');
/** check_violation: PostgreSQL has a month closed that was open a moment ago. */
const CLOSED = '23514';

export interface ReadVisit extends Place {
  visit: SourceVisit;
}

/** Counts visits; a month that was dropped is brought back for them. */
export interface VisitTaker {
  committer: Pick<VisitCommitter, 'addImported'>;
  /**
   * Makes the ledger take rows of months (their starts). @returns why not, of those of which it cannot
   * @throws AppError, retryable, while it cannot be told
   */
  openMonths: (months: readonly number[], signal: AbortSignal) => Promise<ReadonlyMap<number, string>>;
}

export function monthOf(instant: number): number {
  const at = new Date(instant);
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth());
}

/**
 * Counts a chunk's visits in its transaction, after its links. Each has the same id whenever it is imported, so the ledger's
 * key decides what is new. @throws AppError `import-waits`, retryable: a month was closed meanwhile
 */
export async function takeVisits(
  tx: Transaction,
  taker: Pick<VisitTaker, 'committer'>,
  { given, visits, notOpen }: { given: ImportRow; visits: readonly ReadVisit[]; notOpen: ReadonlyMap<number, string> },
  report: ChunkReport,
): Promise<void> {
  if (visits.length === 0) return;
  const ids = await eventIds(tx, given, visits);
  const linkIds = await findVisited(tx, given, visits);
  const refuseUnknown = await unknownRefuser(
    tx,
    given,
    visits.filter(({ visit }) => !linkIds.has(visit.key)),
    report,
  );
  const taken: ReadVisit[] = [];
  const rows = visits.flatMap((one, place) => {
    const { visit } = one;
    const linkId = linkIds.get(visit.key);
    const why = notOpen.get(monthOf(visit.occurredAt));
    if (linkId === undefined) refuseUnknown(one);
    else if (why !== undefined) report.refuse(one, 'month-not-restorable', why, 'date');
    else {
      taken.push(one);
      return [toEnriched(visit, linkId, ids[place] as string)];
    }
    return [];
  });
  const { inserted, purged } = await taker.committer.addImported(tx, rows, given.name).catch((error: unknown) => {
    if (postgresErrorCode(error) !== CLOSED) throw error;
    throw new AppError('import-waits', 'A month of the ledger was closed meanwhile.', {
      retryable: true,
      cause: error,
    });
  });
  failpoint('import.visits-counted');
  // Of equal ids the first is the one that was inserted.
  const fresh = new Set(inserted);
  rows.forEach(({ eventId }, place) => {
    const one = taken[place] as ReadVisit;
    if (purged.has(eventId))
      report.refuse(one, 'visits-purged', 'Visits of that link up to then were purged here.', 'date');
    else if (fresh.delete(eventId)) {
      report.settle(one, 'created');
      report.visits += 1;
    } else {
      report.settle(one, 'unchanged');
      report.existingVisits += 1;
    }
  });
}

/** Refuses visits of links that are not here, and says whether it is the domain that is not. */
async function unknownRefuser(
  tx: Transaction,
  { name, domain }: ImportRow,
  unknown: readonly ReadVisit[],
  report: ChunkReport,
): Promise<(one: ReadVisit) => void> {
  const domainOf = ({ visit }: ReadVisit) => visit.place?.domain ?? domain;
  const named = [...new Set(unknown.flatMap((one) => domainOf(one) ?? []))];
  const rows = named.length === 0 ? [] : await tx.query<{ authority: string }>(FIND_DOMAINS, [named]);
  const known = new Set(rows.map(({ authority }) => authority));
  return (one) => {
    const at = domainOf(one);
    if (at !== null && !known.has(at)) {
      const detail = `There is no domain "${at}" here. Import its links first, or correct the domain of the row or the import.`;
      return report.refuse(one, 'unknown-link', detail, 'domain');
    }
    const code = one.visit.place?.code ?? one.visit.key;
    const detail = `No link "${code}" on ${at === null ? 'the default domain' : `"${at}"`} was imported as "${name}". Import the link first, under the same name.`;
    report.refuse(one, 'unknown-link', detail, 'shortCode');
  };
}

/** The links that are visited, by their keys. */
export async function findVisited(
  database: Queryable,
  { name }: ImportRow,
  visits: readonly ReadVisit[],
): Promise<Map<string, string>> {
  const keys = [...new Set(visits.map(({ visit }) => visit.key))];
  if (keys.length === 0) return new Map();
  const found = await database.query<{ key: string; linkId: string }>(FIND_VISITED, [name, keys]);
  return new Map(found.map(({ key, linkId }) => [key, linkId]));
}

/** Of visits that nothing tells apart the first, second, ... has an id of its own, counted over the whole file. */
async function eventIds(tx: Transaction, given: ImportRow, visits: readonly ReadVisit[]): Promise<string[]> {
  const identities = visits.map(({ visit }) => (visit.eventId === null ? identityOf(given.name, visit) : null));
  const inChunk = new Map<string, number>();
  for (const identity of identities) if (identity !== null) inChunk.set(identity, (inChunk.get(identity) ?? 0) + 1);
  const values = [given.id, [...inChunk.keys()], [...inChunk.values()]];
  const rows = inChunk.size === 0 ? [] : await tx.query<{ identity: string; seen: number }>(COUNT_IDENTITIES, values);
  const next = new Map(rows.map(({ identity, seen }) => [identity, seen - (inChunk.get(identity) ?? 0)]));
  return visits.map(({ visit }, place) => {
    const identity = identities[place] ?? null;
    if (identity === null) return visit.eventId as string;
    const ordinal = next.get(identity) ?? 0;
    next.set(identity, ordinal + 1);
    return eventIdOf(visit.occurredAt, identity, ordinal);
  });
}
