import type { Database } from '@hopcount/postgres';
import { plural } from '@hopcount/runtime';

import { type Check, ok, warn } from './check.js';

/** A restart, or a backlog of visits, may take as long. */
const PATIENCE_MINUTES = 30;
const READ_SEARCH = `SELECT until, until < now() - make_interval(mins => $1) AS "isBehind",
    (SELECT count(*)::integer FROM host_surges WHERE alert_id IS NOT NULL) AS open
  FROM host_surge_search`;

/** Hosts that surge, and whether somebody looks for them. */
export async function checkSurges(database: Database): Promise<Check> {
  const [search] = await database.query<{ until: Date; isBehind: boolean; open: number }>(READ_SEARCH, [
    PATIENCE_MINUTES,
  ]);
  const count = search?.open ?? 0;
  const found = `${plural(count, 'host')} now (hopcount hosts alerts)`;
  if (search?.isBehind === false) return ok('surges of hosts', found, { found: 'surges', values: { count } });
  const until = search?.until.toISOString() ?? 'nothing';
  const advice = 'Start a worker, and see that visits are counted: what is not counted is not searched.';
  return warn('surges of hosts', `${found}; searched up to ${until}`, advice, {
    ...{ found: 'surges-not-searched', advice: 'count-visits', values: { count, until } },
  });
}
