import { eventIdTimeMs, isEventId } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';

const NOTE_REFUSED = loadSql(import.meta.url, 'sql/note-refused.sql');
/** End of the year 9999; PostgreSQL reads no ISO 8601 text beyond it, and an id may say anything. */
const LAST_MS = 253_402_300_799_999;
/** Of printable text without quotes and backslashes, as gateways' names are. */
const SOURCE_NAME = /^[!#-[\]-~]{1,64}$/;
const SOURCE_HERE = /"source"[ \t\r\n]{0,64}:[ \t\r\n]{0,64}"([!#-[\]-~]{1,64})"/g;

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
      const source = sourceOf(value, reason);
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
 * As every version of a visit says it, whatever else is wrong with this one. A record that killed its consumers is not parsed:
 * the parsing may be what ends a process. Of such a record, and of one that is not JSON, the last text after a key "source"
 * is taken, with any white space that JSON allows. Inside a text the quotes would stand behind backslashes.
 */
function sourceOf(value: Buffer | null, reason: string): string | undefined {
  const text = value?.toString('utf8') ?? '';
  const parsed = reason === 'kills-consumer' ? undefined : parse(text);
  const found = parsed ?? { source: [...text.matchAll(SOURCE_HERE)].at(-1)?.[1] };
  const source = isObject(found) ? found['source'] : undefined;
  return typeof source === 'string' && SOURCE_NAME.test(source) ? source : undefined;
}

/** @returns undefined: it is no JSON */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The visit was refused for that, and is noted by what can still be read.
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
