import type { HostStateV1 } from '@hopcount/contracts';
import { isNewer } from '@hopcount/hosts';
import { arrayLiteral, classifyPostgresError, type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { HOST_LIMITS, HostAdder, type HostLimits } from '../add-hosts.js';
import { LOCK_FOLD } from '../host-fold.js';
import { isSums, keyColumns, keyOfRow, type StateRow, sumColumns, toRow } from './state-rows.js';
import { nameAboveRest } from './name-above-rest.js';

const ADD_PEERS = 'INSERT INTO host_peers (dc) SELECT unnest($1::text[]) ON CONFLICT DO NOTHING';
const READ_POSITION = 'SELECT next_offset FROM host_peers WHERE dc = $1';
const SET_POSITION = 'UPDATE host_peers SET next_offset = $2 WHERE dc = $1';
// A clock that was ahead must not hide later that the peer is away.
const SET_AS_OF = `UPDATE host_peers SET epoch = $2, as_of = least($3::timestamptz, now()), is_attributed = $4 WHERE dc = $1`;
const SET_EPOCH = 'UPDATE host_peers SET epoch = $2, next_offset = 0 WHERE dc = $1';
const ADD_REFUSED = 'UPDATE host_peers SET refused = refused + $2 WHERE dc = $1';
const TAKE_LONGER = `SELECT set_config('statement_timeout', '2min', true)`;
const ADVANCE_PEER = loadSql(import.meta.url, 'sql/advance-peer.sql');
const READ_REPLICAS = loadSql(import.meta.url, 'sql/read-replicas.sql');
const READ_ROOM = loadSql(import.meta.url, 'sql/read-room.sql');
const FIND_NEAREST = loadSql(import.meta.url, 'sql/find-nearest.sql');
const FIND_PLACES = loadSql(import.meta.url, 'sql/find-places.sql');
const MERGE_REPLICAS = loadSql(import.meta.url, 'sql/merge-replicas.sql');

/** Of a peer: names and classes. What a database of our own kind may have, all five classes of each name, twice. */
const REPLICAS_AT_MOST = 100_000_000;

interface ReplicaLimits extends HostLimits {
  replicas: number;
}

interface StatePortion {
  /** What the records in these offsets say: the first one, and the one after the last. */
  from: bigint;
  to: bigint;
  states: readonly HostStateV1[];
  /** Of the records, those that say nothing. */
  unreadable?: number;
}

interface MergeReport {
  merged: number;
  /** Not newer than what was there. */
  known: number;
  refused: number;
  /** The peer's database is another one, or its topic: read all of it again. */
  isToBeReadAgain: boolean;
}

type Kept = StateRow & { hostId: number };

/**
 * Copies of what peers say they counted, and their sums in `host_totals`, by data centre: rows that commits and folds never touch. A newer
 * state replaces an older one and everything else is left out, so order, repeats and gaps do not matter. What a peer tells is taken in the
 * transaction that moves the place in its topic.
 */
export class HostReplicas {
  readonly #limits: ReplicaLimits;
  readonly #adder: HostAdder;

  constructor(
    private readonly database: Database,
    limits: Partial<ReplicaLimits> = {},
  ) {
    this.#limits = { ...HOST_LIMITS, replicas: REPLICAS_AT_MOST, ...limits };
    this.#adder = new HostAdder(this.#limits, 'peers');
  }

  /** From now on answers name them, also before anything is known of them. */
  async add(peers: readonly string[]): Promise<void> {
    await this.database.execute(ADD_PEERS, [peers]);
  }

  /** Where to go on in a peer's topic, of which the log has these offsets. A topic made anew is read from its beginning. */
  async position(dc: string, log: { low: bigint; high: bigint }): Promise<bigint> {
    const [row] = await this.database.query<{ next_offset: string }>(READ_POSITION, [dc]);
    if (row === undefined) throw new Error(`${dc} was not added`);
    const position = BigInt(row.next_offset);
    if (position >= log.low && position <= log.high) return position;
    await this.database.execute(SET_POSITION, [dc, log.low.toString()]);
    return log.low;
  }

  /** @throws AppError `checkpoint-fenced`: somebody else reads it, or PostgreSQL went back; nothing was written */
  async merge(dc: string, { from, to, states, unreadable = 0 }: StatePortion): Promise<MergeReport> {
    try {
      return await this.database.transaction(async (tx) => {
        const values = [dc, from.toString(), to.toString()];
        const [peer] = await tx.query<{ epoch: number | null }>(ADVANCE_PEER, values);
        if (peer === undefined) throw movedWithoutUs(dc);
        const foreign = states.filter((state) => state.dc !== dc).length;
        const own = states.filter((state) => state.dc === dc);
        const { newer, known } = await findNewer(tx, dc, newestOf(own));
        const merged = newer.length === 0 ? 0 : await this.#putAll(tx, dc, newer);
        const refused = unreadable + foreign + newer.length - merged;
        if (refused > 0) await tx.query(ADD_REFUSED, [dc, refused]);
        const isToBeReadAgain = await settle(tx, dc, peer.epoch, own);
        return { merged, known, refused, isToBeReadAgain };
      });
    } catch (error) {
      this.#adder.forget();
      throw error;
    }
  }

  /** @returns how many were put */
  async #putAll(tx: Transaction, dc: string, newer: readonly (StateRow & Before)[]): Promise<number> {
    await tx.query(TAKE_LONGER);
    await tx.query(LOCK_FOLD);
    return this.#putHalving(tx, dc, newer);
  }

  /** One that PostgreSQL cannot hold is left out; all others go on. */
  async #putHalving(tx: Transaction, dc: string, rows: readonly (StateRow & Before)[]): Promise<number> {
    await tx.query('SAVEPOINT portion');
    try {
      const put = await this.#put(tx, dc, rows);
      await tx.query('RELEASE SAVEPOINT portion');
      return put;
    } catch (error) {
      if (classifyPostgresError(error) !== 'data') throw error;
      this.#adder.forget();
      await tx.query('ROLLBACK TO SAVEPOINT portion');
      await tx.query('RELEASE SAVEPOINT portion');
      if (rows.length === 1) return 0;
      const half = Math.ceil(rows.length / 2);
      const first = await this.#putHalving(tx, dc, rows.slice(0, half));
      return first + (await this.#putHalving(tx, dc, rows.slice(half)));
    }
  }

  async #put(tx: Transaction, dc: string, newer: readonly (StateRow & Before)[]): Promise<number> {
    const [left] = await tx.query<{ replicas: number; p: number; n: number }>(READ_ROOM, [dc, this.#limits.replicas]);
    if (left === undefined) throw new Error(`${dc} was not added`);
    const taken = newer.filter(({ p, n, before }) => {
      const after = {
        replicas: left.replicas - (before === undefined ? 1 : 0),
        p: left.p - p + (before?.p ?? 0),
        n: left.n - n + (before?.n ?? 0),
      };
      // What takes nothing, or gives back, is always taken.
      if ((after.replicas < 0 && before === undefined) || (after.p < 0 && after.p < left.p)) return false;
      if (after.n < 0 && after.n < left.n) return false;
      Object.assign(left, after);
      return true;
    });
    if (taken.length === 0) return 0;
    const places = await this.#placesOf(tx, taken);
    const hostIds = taken.map(({ before, ...row }) => before?.hostId ?? places.get(`${row.kind} ${row.name}`)!);
    await tx.query(MERGE_REPLICAS, [dc, ...keyColumns(taken), ...sumColumns(taken), arrayLiteral(hostIds)]);
    return taken.length;
  }

  /** Where names count that nobody counted before. */
  async #placesOf(tx: Transaction, rows: readonly (StateRow & Before)[]): Promise<Map<string, number>> {
    const fresh = rows.filter(({ before }) => before === undefined);
    const names = [...new Map(fresh.map(({ kind, name }) => [`${kind} ${name}`, { kind, name }])).values()];
    if (names.length === 0) return new Map();
    const find = () =>
      tx.query<{ kind: number; name: string; hostId: number | null; place: string }>(FIND_PLACES, [
        arrayLiteral(names.map(({ kind }) => kind)),
        arrayLiteral(names.map(({ name }) => name)),
        arrayLiteral(names.map(({ name }) => nameAboveRest(name))),
      ]);
    let places = await find();
    const missing = places.filter(({ hostId }) => hostId === null);
    if (missing.length > 0) {
      await this.#adder.add(
        tx,
        missing.map(({ kind, place }) => ({ kind, name: place })),
      );
      places = await find();
    }
    const nearest = await this.#nearestTo(
      tx,
      places.filter(({ hostId }) => hostId === null),
    );
    return new Map(
      places.map(({ kind, name, place, hostId }) => {
        const id = hostId ?? nearest.get(`${kind} ${place}`);
        if (id === undefined) throw new Error(`${name} has no place`);
        return [`${kind} ${name}`, id];
      }),
    );
  }

  /** Where names of peers count that there is no room for. */
  async #nearestTo(tx: Transaction, places: readonly { kind: number; place: string }[]): Promise<Map<string, number>> {
    if (places.length === 0) return new Map();
    const found = await tx.query<{ kind: number; name: string; hostId: number }>(FIND_NEAREST, [
      arrayLiteral(places.map(({ kind }) => kind)),
      arrayLiteral(places.map(({ place }) => place)),
    ]);
    return new Map(found.map(({ kind, name, hostId }) => [`${kind} ${name}`, hostId]));
  }
}

interface Before {
  before: Kept | undefined;
}

/** Of each key the newest: one statement can write a row once. */
function newestOf(states: readonly HostStateV1[]): StateRow[] {
  const newest = new Map<string, StateRow>();
  for (const row of states.filter(isSums).map(toRow)) {
    const key = keyOfRow(row);
    if (isNewer(row, newest.get(key))) newest.set(key, row);
  }
  return [...newest.values()];
}

async function findNewer(tx: Transaction, dc: string, rows: readonly StateRow[]) {
  if (rows.length === 0) return { newer: [], known: 0 };
  const found = await tx.query<Kept>(READ_REPLICAS, [dc, ...keyColumns(rows)]);
  const kept = new Map(found.map((row) => [keyOfRow(row), row]));
  const newer = rows
    .map((row) => ({ ...row, before: kept.get(keyOfRow(row)) }))
    .filter((row) => isNewer(row, row.before));
  return { newer, known: rows.length - newer.length };
}

/** @returns whether all is to be read again: the peer is in a higher epoch than the last time it said that all is there */
async function settle(tx: Transaction, dc: string, epoch: number | null, own: readonly HostStateV1[]) {
  const said = own.filter((state) => !isSums(state)) as Extract<HostStateV1, { asOf: number }>[];
  const highest = Math.max(-1, ...said.map((state) => state.epoch));
  const last = said.filter((state) => state.epoch === highest).at(-1);
  if (last === undefined || (epoch !== null && highest < epoch)) return false;
  if (epoch !== null && highest > epoch) {
    await tx.query(SET_EPOCH, [dc, highest]);
    return true;
  }
  await tx.query(SET_AS_OF, [dc, highest, new Date(last.asOf).toISOString(), last.isAttributed === true]);
  return false;
}

function movedWithoutUs(dc: string): AppError {
  return new AppError('checkpoint-fenced', `The place in the topic of data centre "${dc}" moved without us.`, {
    retryable: true,
  });
}
