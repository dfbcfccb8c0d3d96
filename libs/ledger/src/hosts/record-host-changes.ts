import {
  DIRECT,
  DIRECT_HOST,
  eventIdChecksum,
  HOST_KINDS,
  UNKNOWN,
  UNKNOWN_HOST,
  visitClassNumber,
} from '@hopcount/contracts';
import { CELL_MS, hostName } from '@hopcount/hosts';
import { arrayLiteral, type Transaction } from '@hopcount/postgres';

import type { EnrichedVisit } from '../commit/enriched-visit.js';
import { entry, Sum } from '../commit/sum-batch.js';

/** Of a row: it is folded whole. */
const MOST_ENTRIES = 20_000;
const [TARGET, REFERRER, SHORT] = HOST_KINDS.keys();

const INSERT_CHANGES = `INSERT INTO host_changes (kinds, hosts, cells, classes, p, n, checksums)
  VALUES ($1, $2, $3, $4, $5, array_fill(0::bigint, ARRAY[cardinality($5::bigint[])]), $6)`;

interface HostSum {
  kind: number;
  host: string;
  cell: number;
  class: number;
  sum: Sum;
}

/** Parameters of one row of host_changes. */
export type HostChanges = readonly unknown[];

/**
 * What a batch's new visits add to their hosts: rows (one, as a rule) that nobody else touches, so that no commit waits for another in the row of a
 * host all of them have. Names, not ids: they are right in whatever database this is.
 */
export function hostChangesOf(visits: readonly EnrichedVisit[]): HostChanges[] {
  const sums = [...sumHosts(visits)];
  const changes: HostChanges[] = [];
  for (let at = 0; at < sums.length; at += MOST_ENTRIES) {
    const rows = sums.slice(at, at + MOST_ENTRIES);
    changes.push([
      arrayLiteral(rows.map((row) => row.kind)),
      arrayLiteral(rows.map((row) => row.host)),
      arrayLiteral(rows.map((row) => row.cell)),
      arrayLiteral(rows.map((row) => row.class)),
      arrayLiteral(rows.map((row) => row.sum.visits)),
      arrayLiteral(rows.map((row) => row.sum.checksum)),
    ]);
  }
  return changes;
}

/** The last statements of a commit. */
export async function recordHostChanges(tx: Transaction, changes: readonly HostChanges[]): Promise<void> {
  for (const row of changes) await tx.query(INSERT_CHANGES, [...row]);
}

function sumHosts(visits: readonly EnrichedVisit[]): Iterable<HostSum> {
  const sums = new Map<string, HostSum>();
  for (const visit of visits) {
    const cell = Math.floor(visit.occurredAtMs / CELL_MS);
    const classNumber = visitClassNumber(visit.class);
    const checksum = eventIdChecksum(visit.eventId);
    const add = (kind: number, host: string) => {
      const make = () => ({ kind, host, cell, class: classNumber, sum: new Sum() });
      entry(sums, `${kind}${classNumber}${cell} ${host}`, make).sum.add(checksum);
    };
    add(TARGET!, hostName(visit.targetHost));
    add(REFERRER!, referrerName(visit.referrerHost));
    add(SHORT!, hostName(visit.shortHost));
  }
  return sums.values();
}

function referrerName(host: string): string {
  if (host === DIRECT) return DIRECT_HOST;
  return host === UNKNOWN ? UNKNOWN_HOST : hostName(host);
}
