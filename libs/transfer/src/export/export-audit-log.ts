import type { Readable } from 'node:stream';

import type { AuditEntry } from '@hopcount/contracts';
import type { CsvCell } from '@hopcount/runtime';

import { type RecordOptions, streamRecords } from './stream-records.js';

type Column = readonly [name: string, value: (entry: AuditEntry) => CsvCell];

const COLUMNS: readonly Column[] = [
  ['id', ({ id }) => id],
  ['date', ({ date }) => date],
  ['actorKind', ({ actor }) => actor.kind],
  ['actorId', ({ actor }) => actor.id],
  ['actorName', ({ actor }) => actor.name],
  ['address', ({ actor }) => actor.address],
  ['operation', ({ actor }) => actor.operation],
  ['requestId', ({ actor }) => actor.requestId],
  ['kind', ({ kind }) => kind],
  ['action', ({ action }) => action],
  ['object', ({ object }) => object],
  ['objects', ({ objects }) => objects],
  ['before', ({ before }) => asText(before)],
  ['after', ({ after }) => asText(after)],
];

export function exportAuditLog(pieces: AsyncIterable<readonly AuditEntry[]>, options: RecordOptions): Readable {
  const names = COLUMNS.map(([name]) => name);
  return streamRecords(names, pieces, (entry) => COLUMNS.map(([, value]) => value(entry)), options);
}

const asText = (fields: AuditEntry['before']) => (fields === null ? null : JSON.stringify(fields));
