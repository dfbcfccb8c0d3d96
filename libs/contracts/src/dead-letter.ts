import { DEAD_LETTER_HEADERS } from './topics.js';

/** What a dead letter says about itself; every text is safe to print on a terminal. */
export interface DeadLetterText {
  /** RFC 3339, UTC: when it was put aside. */
  time: string;
  reason: string;
  step: string;
  detail: string;
  originalTopic: string;
  originalPartition: string;
  originalOffset: string;
  key: string | null;
  sizeBytes: number;
}

interface DeadLetterRecord {
  key: Buffer | null;
  value: Buffer | null;
  headers: Record<string, Buffer | string | (Buffer | string)[] | undefined>;
  timestampMs: number;
}

const LONGEST_TEXT = 120;

export function describeDeadLetter(record: DeadLetterRecord): DeadLetterText {
  const header = (name: keyof typeof DEAD_LETTER_HEADERS) => {
    const value = record.headers[DEAD_LETTER_HEADERS[name]];
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? '?' : printable(first.toString());
  };
  return {
    time: new Date(record.timestampMs).toISOString(),
    reason: header('reason'),
    step: header('step'),
    detail: header('detail'),
    originalTopic: header('originalTopic'),
    originalPartition: header('originalPartition'),
    originalOffset: header('originalOffset'),
    key: record.key === null ? null : printable(record.key.toString()),
    sizeBytes: record.value?.length ?? 0,
  };
}

/** A dead letter holds whatever somebody sent: no control character of it may reach a terminal. */
export function printable(text: string, longest = LONGEST_TEXT): string {
  const safe = text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
  return safe.length > longest ? `${safe.slice(0, longest)}…` : safe;
}
