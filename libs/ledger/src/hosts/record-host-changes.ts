import { DIRECT, DIRECT_HOST, HOST_KINDS, UNKNOWN, UNKNOWN_HOST, visitClassNumber } from '@hopcount/contracts';
import { CELL_MS, hostName } from '@hopcount/hosts';
import { arrayLiteral, type Transaction } from '@hopcount/postgres';

import type { EnrichedVisit } from '../commit/enriched-visit.js';
import { type Checksum, entry, newList, Sum } from '../commit/sum-batch.js';

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
export class HostSums {
  readonly #sums = HOST_KINDS.map(() => new Map<string, HostSum[]>());

  add(visit: EnrichedVisit, checksum: Checksum): void {
    hostSum(this.#sums[TARGET!]!, TARGET!, hostName(visit.targetHost), visit).sum.add(checksum);
    hostSum(this.#sums[REFERRER!]!, REFERRER!, referrerName(visit.referrerHost), visit).sum.add(checksum);
    hostSum(this.#sums[SHORT!]!, SHORT!, hostName(visit.shortHost), visit).sum.add(checksum);
  }

  end(): HostChanges[] {
    return changesOf(this.#sums.flatMap((ofKind) => [...ofKind.values()].flat()));
  }
}

function changesOf(sums: readonly HostSum[]): HostChanges[] {
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

/** Searches from the end, because visits come in the order of their time. A key of host, cell and class would be a new text for each visit. */
function hostSum(sums: Map<string, HostSum[]>, kind: number, host: string, visit: EnrichedVisit): HostSum {
  const cell = Math.floor(visit.occurredAtMs / CELL_MS);
  const classNumber = visitClassNumber(visit.class);
  const ofHost = entry(sums, host, newList<HostSum>);
  const found = ofHost.findLast((row) => row.cell === cell && row.class === classNumber);
  if (found !== undefined) return found;
  const row = { kind, host, cell, class: classNumber, sum: new Sum() };
  ofHost.push(row);
  return row;
}

function referrerName(host: string): string {
  if (host === DIRECT) return DIRECT_HOST;
  return host === UNKNOWN ? UNKNOWN_HOST : hostName(host);
}
