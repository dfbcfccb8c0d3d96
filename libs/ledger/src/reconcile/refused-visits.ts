import { eventIdTimeMs, isEventId } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';

const NOTE_REFUSED = loadSql(import.meta.url, 'sql/note-refused.sql');
/** End of the year 9999; PostgreSQL reads no ISO 8601 text beyond it, and an id may say anything. */
const LAST_MS = 253_402_300_799_999;
const SOURCE_PREFIX = '/gateway/';

/** What of a dead letter says whose visit it was; the value may be unreadable. */
export interface RefusedRecord {
  key: Buffer | null;
  headers: Record<string, Buffer | string | (Buffer | string)[] | undefined>;
  reason: string;
}

/** Visits put into the dead-letter topic: not counted, but not lost in silence either. */
export class RefusedVisits {
  constructor(private readonly database: Database) {}

  /** Keeps each event once, however often it is refused. Records that name no event of a gateway are passed over. */
  async note(records: readonly RefusedRecord[]): Promise<void> {
    const visits = records.flatMap(({ key, headers, reason }) => {
      const eventId = key?.toString('latin1') ?? '';
      const source = headers['ce_source']?.toString() ?? '';
      if (!isEventId(eventId) || eventIdTimeMs(eventId) > LAST_MS || !/^\/gateway\/[!-~]+$/.test(source)) return [];
      return [{ eventId, source: source.slice(SOURCE_PREFIX.length), reason }];
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
