const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d{2}):?(\d{2}))?)?$/;
const MINUTE_MS = 60_000;

/** A date, a local date and time, or an instant (with an offset), as text has it. */
export interface Moment {
  kind: 'date' | 'local' | 'instant';
  /** Epoch milliseconds, rounded down; of a date and of local time as if they were UTC. */
  atMs: number;
}

/**
 * The only reading of dates that people and programs write: RFC 3339, with a space instead of the T, seconds and the colon of an offset
 * optional. Parsers of platforms make 2 March of 30 February, and 59 of 60 seconds. @returns undefined where there is no such moment:
 * month 13, 30 February, 24:00, minute or second 60 (leap seconds included), an offset beyond 23:59
 */
export function readMoment(text: string): Moment | undefined {
  const parts = MOMENT.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, hour, minute, second = '00', fraction = '', zulu, sign, offsetHour, offsetMinute] = parts;
  const isClock = isBelow(hour, 24) && isBelow(minute, 60) && isBelow(second, 60);
  if (!isClock || !isBelow(offsetHour, 24) || !isBelow(offsetMinute, 60)) return undefined;
  const dayMs = Date.parse(`${year}-${month}-${day}T00:00:00.000Z`);
  if (Number.isNaN(dayMs) || new Date(dayMs).getUTCDate() !== Number(day)) return undefined;
  if (hour === undefined) return { kind: 'date', atMs: dayMs };
  const localMs =
    dayMs +
    (Number(hour) * 60 + Number(minute)) * MINUTE_MS +
    Number(second) * 1_000 +
    Number(fraction.padEnd(3, '0').slice(0, 3));
  if (zulu !== undefined) return { kind: 'instant', atMs: localMs };
  if (sign === undefined) return { kind: 'local', atMs: localMs };
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * MINUTE_MS;
  return { kind: 'instant', atMs: sign === '-' ? localMs + offsetMs : localMs - offsetMs };
}

function isBelow(text: string | undefined, limit: number): boolean {
  return text === undefined || Number(text) < limit;
}
