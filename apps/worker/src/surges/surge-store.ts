import { HOST_KINDS, type SurgeExplanation } from '@hopcount/contracts';
import { asciiOf, type SurgeEvent, type SurgeState, WINDOW_MS } from '@hopcount/hosts';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';

import type { WatchedHost } from './watched-hosts.js';

const READ_SEARCH = `SELECT until, coalesce(moved_at > clock_timestamp() - make_interval(secs => $1), false) AS "isSearched", (
    SELECT coalesce(json_agg(json_build_object('kind', kind, 'name', host, 'state', state)), '[]') FROM host_surges
  ) AS states
  FROM host_surge_search`;
const LOCK_SEARCH = 'SELECT until FROM host_surge_search FOR UPDATE';
const MOVE_ON = 'UPDATE host_surge_search SET until = $1, moved_at = clock_timestamp()';
const MEASURE = `SELECT (SELECT count(*)::integer FROM host_surges WHERE alert_id IS NOT NULL) AS open,
    extract(epoch FROM clock_timestamp() - until)::float8 AS "delaySeconds"
  FROM host_surge_search`;
const ADD_ALERT = loadSql(import.meta.url, 'sql/add-alert.sql');
const SET_ALERT = `INSERT INTO host_surges (kind, host, alert_id, state) VALUES ($1, $2, $3, '{}')
  ON CONFLICT (kind, host) DO UPDATE SET alert_id = excluded.alert_id`;
const KEEP_STATES = loadSql(import.meta.url, 'sql/keep-states.sql');
const QUEUE_SURGE = loadSql(import.meta.url, 'sql/queue-surge.sql');
const EXPIRE_ALERTS = `DELETE FROM host_alerts WHERE id IN (
    SELECT id FROM host_alerts WHERE alert_id IS NULL AND created_at < now() - interval '400 days' ORDER BY id LIMIT 1000
  )`;

export interface SearchState {
  /** Surges that go on. */
  open: number;
  /** Since the time of visits that was searched last. */
  delaySeconds: number;
}

interface KeptSearch {
  until: number;
  isSearched: boolean;
  states: (WatchedHost & { state: SurgeState })[];
}

export interface KeptState extends WatchedHost {
  /** null, given to `save`: none any more. */
  state: SurgeState | null;
}

export interface ExplainedSurge {
  host: WatchedHost;
  event: SurgeEvent;
  explanation: SurgeExplanation | null;
}

/** What a search found on its way. */
interface SearchStep {
  /** `until` as the searcher found it, or left it. */
  found: number;
  until: number;
  surges: ExplainedSurge[];
  /** Those that changed. */
  states: KeptState[];
}

/** Surges in PostgreSQL. Of two searchers one moves `until` on; what the other found in the same time is found already. */
export class SurgeStore {
  constructor(private readonly database: Database) {}

  /** `isSearched`: somebody moved on in the last `seconds`. */
  async read(seconds: number): Promise<KeptSearch> {
    const [row] = await this.database.query<Omit<KeptSearch, 'until'> & { until: Date }>(READ_SEARCH, [seconds]);
    if (row === undefined) throw new Error('host_surge_search has no row; is the schema migrated?');
    return { ...row, until: row.until.getTime() };
  }

  async measure(): Promise<SearchState> {
    const [row] = await this.database.query<SearchState>(MEASURE);
    return row ?? { open: 0, delaySeconds: 0 };
  }

  /** @returns false: somebody else has moved on, and nothing was written */
  save({ found, until, surges, states }: SearchStep): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const [search] = await tx.query<{ until: Date }>(LOCK_SEARCH);
      if (search?.until.getTime() !== found) return false;
      await tx.query(MOVE_ON, [new Date(until)]);
      for (const surge of surges) await tell(tx, surge);
      if (states.length > 0) {
        const rows = states.map(({ kind, name, state }) => ({ kind, host: name, state }));
        await tx.query(KEEP_STATES, [JSON.stringify(rows)]);
      }
      if (surges.length > 0) await tx.query(EXPIRE_ALERTS);
      return true;
    });
  }
}

async function tell(tx: Transaction, { host: { kind, name }, event, explanation }: ExplainedSurge): Promise<void> {
  const { what, at, base } = event;
  // What surges below it was taken away: that is no whole number.
  const visits = Math.round(event.visits);
  const reason = what === 'closed' ? event.reason : null;
  const [added] = await tx.query<{ id: string }>(ADD_ALERT, [
    ...[kind, name, what, new Date(at), visits, base.visits, base.isNew, reason],
    explanation === null ? null : JSON.stringify(explanation),
  ]);
  await tx.query(SET_ALERT, [kind, name, what === 'closed' ? null : added?.id]);
  if (what === 'closed') return;
  const body = {
    type: 'host.surged',
    timestamp: new Date().toISOString(),
    data: {
      id: added?.id,
      ...{ kind: HOST_KINDS[kind], host: asciiOf(name), what },
      windowStart: new Date(at - WINDOW_MS).toISOString(),
      windowSeconds: WINDOW_MS / 1_000,
      ...{ visits, usualVisits: base.visits, new: base.isNew, explanation },
    },
  };
  await tx.query(QUEUE_SURGE, [`host.surged ${kind} ${name} ${at}`, JSON.stringify(body)]);
}
