import type { EnrichedVisit, HourDelta, PreparedVisits, WhichVisits } from '@hopcount/ledger';

import type { RefusedRecord } from './prepared-records.js';

/** What the thread that prepares is asked. `batch` names a batch from its preparation to its release. */
export type Question =
  | { kind: 'prepare'; batch: number; packed: PackedValues }
  | { kind: 'pick'; batch: number; which: WhichVisits }
  | { kind: 'fold'; batch: number; foldedFrom: ReadonlyMap<string, number> };

export interface Answers {
  prepare: {
    indexes: Uint32Array;
    eventIds: string[];
    refused: RefusedRecord[];
    prepared: PreparedVisits;
    failures: number;
  };
  pick: readonly EnrichedVisit[];
  fold: readonly HourDelta[];
}

export type ToThread = { id: number; question: Question } | { release: number };

export type FromThread =
  { ready: { broken: number } } | { id: number; answer: Answers[keyof Answers] } | { id: number; error: Error };

/** Values of records in one piece of memory, which threads hand over instead of copying. */
export interface PackedValues {
  bytes: Uint8Array<ArrayBuffer>;
  /** In bytes, of each; -1: it is null. */
  lengths: Int32Array<ArrayBuffer>;
}

export function packValues(values: readonly (Buffer | null)[]): PackedValues {
  const lengths = Int32Array.from(values, (value) => value?.length ?? -1);
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + Math.max(length, 0), 0));
  let at = 0;
  for (const value of values) {
    if (value === null) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return { bytes, lengths };
}

export function unpackValues({ bytes, lengths }: PackedValues): (Buffer | null)[] {
  let at = 0;
  return Array.from(lengths, (length) => {
    if (length < 0) return null;
    const value = Buffer.from(bytes.buffer, at, length);
    at += length;
    return value;
  });
}
