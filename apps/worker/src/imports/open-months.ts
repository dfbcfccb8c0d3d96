import type { Archive } from '@hopcount/archive';
import { openMonth } from '@hopcount/ledger';
import { type Database, postgresErrorCode } from '@hopcount/postgres';
import { AppError, isAppError, type Logger } from '@hopcount/runtime';
import type { VisitTaker } from '@hopcount/transfer';

const DAY_MS = 86_400_000;
const READ_RETENTION = 'SELECT kept_from, archived_from FROM ledger_retention';
/** What does not change by itself: an operator has to look at it, and to import once more. */
const LASTING = ['archive-file-damaged', 'restored-month-differs', 'archive-seal-first'] as const;

interface Deps {
  database: Database;
  /** undefined: without ARCHIVE_URL. */
  archive: Pick<Archive, 'restore'> | undefined;
  logger: Logger;
  /** Why months are opened, for the log. */
  what: string;
}

/**
 * Makes months take visits for one run of imports. One that was dropped is restored from its files, with those after it,
 * since the ledger has no holes. They are dropped again a day after, or after the import, as soon as files have all of them.
 */
export function createOpenMonths({ database, archive, logger, what }: Deps): VisitTaker['openMonths'] {
  // None is closed while an import is under way.
  const open = new Set<number>();
  /** The last month that cannot be had in this run, and so none before it. */
  let stop: { month: number; why: string } | undefined;

  /** @returns why it cannot be had */
  async function openOne(month: number, signal: AbortSignal): Promise<string | undefined> {
    while (!(await openMonth(database, month, { signal }).catch(orLater))) {
      const why = stop !== undefined && month <= stop.month ? stop.why : await restoreLast(month, signal);
      if (why === undefined) continue;
      stop ??= { month, why };
      return why;
    }
    open.add(month);
    return undefined;
  }

  /** The last one that was dropped: on the way to `wanted`. @returns why it cannot be had */
  async function restoreLast(wanted: number, signal: AbortSignal): Promise<string | undefined> {
    type Row = { kept_from: Date; archived_from: Date | null };
    const [row] = await database.query<Row>(READ_RETENTION);
    if (row === undefined) return undefined;
    if (wanted < (row.archived_from?.getTime() ?? Number.NEGATIVE_INFINITY))
      return 'Its files are gone (ARCHIVE_DAYS).';
    if (archive === undefined) return 'The ledger dropped it, and this worker has no archive (ARCHIVE_URL).';
    const last = row.kept_from.getTime() - 1;
    const month = new Date(last).toISOString().slice(0, 7);
    try {
      const { visits } = await archive.restore(last, { keepUntilMs: Date.now() + DAY_MS, signal }).catch(orLater);
      logger.info({ month, visits, reason: what }, 'a dropped month is in the ledger again');
      return undefined;
    } catch (error) {
      if (!isAppError(error)) throw error;
      if (LASTING.some((code) => error.code === code)) return `${month} cannot be restored: ${error.message}`;
      throw new AppError('import-waits', `${month}: ${error.message}`, { retryable: true, cause: error });
    }
  }

  return async (months, signal) => {
    const notOpen = new Map<number, string>();
    for (const month of months) {
      const why = open.has(month) ? undefined : await openOne(month, signal);
      if (why !== undefined) notOpen.set(month, why);
    }
    return notOpen;
  };
}

/** Somebody reads the ledger for long (55P03): nothing is wrong with the import. */
function orLater(error: unknown): never {
  if (postgresErrorCode(error) !== '55P03') throw error;
  throw new AppError('import-waits', 'The ledger is being read.', { retryable: true, cause: error });
}
