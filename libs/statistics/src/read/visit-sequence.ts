import { type ArchiveReader, readKeptFrom } from '@hopcount/archive';
import { eventIdTimeMs } from '@hopcount/contracts';
import { BOT_CLASSES, BUCKET_MS, bucketOf, toIso } from '@hopcount/ledger';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { type LogRow, toLogged, WHOLE_FILE_COLUMNS, type WholeVisit } from './request-log.js';
import { Snapshots } from './snapshot.js';
import { reachedLinks } from './visit-scope.js';

const NEXT_BUCKETS = loadSql(import.meta.url, 'sql/next-buckets.sql');
const NEXT_VISITS = loadSql(import.meta.url, 'sql/next-visits.sql');
/** What is held at once: some MB. */
const PIECE = 5_000;
const BUCKET_ROWS = 1_000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

export interface VisitSequenceQuery {
  /** The link was found by the same. */
  reach: Reach;
  /** undefined: of all links that are reached, deleted ones too. */
  linkId: string | undefined;
  /** [from, to), epoch milliseconds. */
  from: number | undefined;
  to: number;
  /** Leaves out bots, previews and prefetches. */
  excludeBots: boolean;
  /** An event id: only what comes behind it. */
  after: string | undefined;
}

/** Where a piece begins. */
interface Place {
  at: number;
  after: string;
}

/**
 * Every visit of a link, or of all, in the order of event ids (so oldest first), from files where the ledger dropped them.
 * Each piece is read under a snapshot of its own, behind the last id of the piece before: none comes twice, whatever is
 * sealed, dropped or restored meanwhile, and nobody waits for a slow reader. One that is counted meanwhile comes if its
 * time is not passed yet. What no file has any more is left out, as in lists.
 */
export class VisitSequence {
  readonly #snapshots: Snapshots;

  constructor(
    database: Database,
    private readonly archive: Pick<ArchiveReader, 'dropped'>,
  ) {
    this.#snapshots = new Snapshots(database);
  }

  /** @throws AppError `archive-question-too-large`, `archive-unreadable` */
  async *read(query: VisitSequenceQuery): AsyncGenerator<WholeVisit[]> {
    const { from = 0, after } = query;
    const first =
      after === undefined ? { at: from, after: BEFORE_ALL } : { at: Math.max(from, eventIdTimeMs(after)), after };
    for (let place: Place | undefined = first; place !== undefined && place.at < query.to;) {
      const current: Place = place;
      const { visits, next } = await this.#snapshots.run((tx) => this.#piece(tx, query, current));
      if (visits.length > 0) yield visits;
      place = next;
    }
  }

  async #piece(tx: Transaction, query: VisitSequenceQuery, { at, after }: Place) {
    const { linkId = null, reach, to } = query;
    // Of all buckets those that are not reached are passed over, visit by visit.
    const among = linkId !== null ? [linkId] : reach.isWhole ? undefined : await reachedLinks(tx, reach, null);
    if (among?.length === 0) return { visits: [], next: undefined };
    const buckets = await tx.query<{ bucket: number; visits: number }>(NEXT_BUCKETS, [
      ...[linkId, toIso(bucketOf(at)), toIso(to), BUCKET_ROWS],
    ]);
    const [oldest] = buckets;
    if (oldest === undefined) return { visits: [], next: undefined };
    const keptFrom = await readKeptFrom(tx);
    const isFiled = oldest.bucket < keptFrom;
    const end = Math.min(endOfPiece(buckets), to, isFiled ? keptFrom : Infinity);
    const range = { from: Math.max(at, oldest.bucket), to: end };
    const exceptClasses = query.excludeBots ? BOT_CLASSES : [];
    const rows = isFiled
      ? await this.#fromFiles(tx, { ...range, exceptClasses, linkIds: among }, after)
      : await tx.query<LogRow<WholeVisit>>(NEXT_VISITS, [
          ...[linkId, toIso(range.from), toIso(range.to), exceptClasses, after, PIECE, among ?? null],
        ]);
    const visits = rows.map(toLogged);
    const last = visits.at(-1);
    if (last === undefined || visits.length < PIECE) return { visits, next: { at: end, after: BEFORE_ALL } };
    return { visits, next: { at: last.occurredAt, after: last.eventId } };
  }

  #fromFiles(tx: Transaction, question: Parameters<ArchiveReader['dropped']['next']>[1], after: string) {
    return this.archive.dropped.next<LogRow<WholeVisit>>(tx, question, WHOLE_FILE_COLUMNS, { after, limit: PIECE });
  }
}

/** Behind the bucket with which there are enough visits, or behind the last of the rows. */
function endOfPiece(buckets: readonly { bucket: number; visits: number }[]): number {
  let visits = 0;
  const last = buckets.find((row) => (visits += row.visits) >= PIECE) ?? buckets.at(-1);
  return (last?.bucket ?? 0) + BUCKET_MS;
}
