import { eventIdTimeMs, isEventId } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';

const NOTE_REFUSED = loadSql(import.meta.url, 'sql/note-refused.sql');
/** End of the year 9999; PostgreSQL reads no ISO 8601 text beyond it, and an id may say anything. */
const LAST_MS = 253_402_300_799_999;
const SOURCE = '"source":"';
/** Of printable text without quotes and backslashes, as gateways' names are. */
const SOURCE_HERE = /^"source":"([!#-[\]-~]{1,64})"/;

/** What of a dead letter says whose visit it was. */
export interface RefusedRecord {
  key: Buffer | null;
  value: Buffer | null;
  reason: string;
}

/** Visits put into the dead-letter topic: not counted, but not lost in silence either. */
export class RefusedVisits {
  constructor(private readonly database: Database) {}

  /** Keeps each event once, however often it is refused. Records that name no event of a gateway are passed over. */
  async note(records: readonly RefusedRecord[]): Promise<void> {
    const visits = records.flatMap(({ key, value, reason }) => {
      const eventId = key?.toString('latin1') ?? '';
      if (!isEventId(eventId) || eventIdTimeMs(eventId) > LAST_MS) return [];
      const source = sourceOf(value);
      return source === undefined ? [] : [{ eventId, source, reason }];
    });
    if (visits.length === 0) return;
    await this.database.query(NOTE_REFUSED, [
      visits.map(({ eventId }) => new Date(eventIdTimeMs(eventId)).toISOString()),
      visits.map(({ eventId }) => eventId),
      visits.map(({ source }) => source),
      visits.map(({ reason }) => reason),
    ]);
  }
}

/**
 * As every version of a visit says it, whatever else is wrong with this one. Looked for, not parsed: it may be the parsing
 * that ends processes. Inside of a text the quotes would stand behind backslashes, so the last one is the visit's.
 */
function sourceOf(value: Buffer | null): string | undefined {
  const at = value?.lastIndexOf(SOURCE) ?? -1;
  return SOURCE_HERE.exec(value?.toString('latin1', at, at + 80) ?? '')?.[1];
}
