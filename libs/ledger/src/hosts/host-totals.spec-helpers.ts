import { HOST_KINDS, type HostKind } from '@hopcount/contracts';

import type { Ledger } from '../ledger.spec-helpers.js';

/** Visits of all time by name, of names that have some. */
export async function hostTotals({ server }: Ledger, kind: HostKind): Promise<Record<string, number>> {
  const rows = await server.query<{ name: string; visits: number }>(
    `SELECT name, sum(p - n)::int AS visits FROM host_totals JOIN hosts ON hosts.id = host_id
     WHERE host_totals.kind = $1 GROUP BY 1 HAVING sum(p - n) <> 0 ORDER BY 1`,
    [HOST_KINDS.indexOf(kind)],
  );
  return Object.fromEntries(rows.map(({ name, visits }) => [name, visits]));
}
