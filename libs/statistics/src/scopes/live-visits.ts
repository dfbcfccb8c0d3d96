import type { VisitFilter } from '@hopcount/archive';
import { countUncounted, type InstantRange, type PartitionProgress, readCheckpoints } from '@hopcount/ledger';
import type { Database, Transaction } from '@hopcount/postgres';
import type { Reach } from '@hopcount/runtime';

import { ledgerRelation } from './ledger-relation.js';
import { orphanRelation } from './orphan-relation.js';
import { describeScope, type StatisticsScope } from './statistics-scope.js';

const MINUTE_MS = 60_000;

/** Whose visits are followed. */
export interface LiveScope {
  reach: Reach;
  scope: StatisticsScope;
  /** All of them let a visit through that counts. */
  filters: readonly VisitFilter[];
}

export interface LiveCount {
  visits: number;
  /** Orphan visits have none. */
  visitors?: number;
  ips: number;
}

export interface LiveCounts {
  minutes5: LiveCount;
  minutes30: LiveCount;
}

export interface LiveAnswer {
  /** The last 30 minutes before it was read. */
  range: InstantRange;
  /** One for each scope, in their order. */
  counts: LiveCounts[];
  /** In the range, of all links. */
  uncounted: number;
  checkpoints: PartitionProgress[];
}

interface Row {
  nth: number;
  visits5: number;
  visitors5: number;
  ips5: number;
  visits30: number;
  visitors30: number;
  ips30: number;
}

const SETTINGS = `SELECT set_config('work_mem', '32MB', true)`;

/** Visits, visitors and IPs of the last 5 and 30 minutes: from the ledger, which has all of them. */
export class LiveVisits {
  constructor(private readonly database: Database) {}

  /** Before it is counted with others. @throws AppError `beyond-role` */
  expectReached(scope: LiveScope): void {
    if (scope.scope.of !== 'orphans') describeScope(scope);
  }

  /** Of many scopes at once: one statement counts all of them. */
  read(
    scopes: readonly LiveScope[],
    { nowMs, checkpointsOf }: { nowMs: number; checkpointsOf: { group: string; topic: string } },
  ): Promise<LiveAnswer> {
    const range = { from: nowMs - 30 * MINUTE_MS, to: nowMs };
    const inSnapshot = async (tx: Transaction): Promise<LiveAnswer> => {
      await tx.query(SETTINGS);
      const checkpoints = await readCheckpoints(tx, checkpointsOf.group, checkpointsOf.topic);
      const rows = scopes.length === 0 ? [] : await tx.query<Row>(countAll(scopes, range));
      const counts = scopes.map(({ scope }, place): LiveCounts => {
        const found = rows.find(({ nth }) => nth === place) ?? NONE;
        const hasVisitors = scope.of !== 'orphans';
        return {
          minutes5: { visits: found.visits5, ...(hasVisitors && { visitors: found.visitors5 }), ips: found.ips5 },
          minutes30: { visits: found.visits30, ...(hasVisitors && { visitors: found.visitors30 }), ips: found.ips30 },
        };
      });
      return { range, counts, checkpoints, uncounted: await countUncounted(tx, range) };
    };
    return this.database.transaction(inSnapshot, { isolation: 'REPEATABLE READ', readOnly: true });
  }
}

const NONE = { visits5: 0, visitors5: 0, ips5: 0, visits30: 0, visitors30: 0, ips30: 0 };

function countAll(scopes: readonly LiveScope[], range: InstantRange): string {
  const isRecent = `FILTER (WHERE occurred_at >= '${new Date(range.to - 5 * MINUTE_MS).toISOString()}')`;
  return scopes
    .map((scope, nth) => {
      const visits = relationOf(scope, range);
      return `SELECT ${nth} AS nth,
        count(*)::float8 AS visits30, count(DISTINCT visitor)::float8 AS visitors30, count(DISTINCT ip)::float8 AS ips30,
        (count(*) ${isRecent})::float8 AS visits5, (count(DISTINCT visitor) ${isRecent})::float8 AS visitors5,
        (count(DISTINCT ip) ${isRecent})::float8 AS ips5 FROM ${visits}`;
    })
    .join(' UNION ALL ');
}

function relationOf({ reach, scope, filters }: LiveScope, range: InstantRange): string {
  const columns = ['occurred_at', 'visitor', 'ip'];
  if (scope.of !== 'orphans') return ledgerRelation(describeScope({ reach, scope }), [range], columns, filters);
  return orphanRelation({ orphans: { reach, domain: scope.domain } }, [range], columns, filters);
}
