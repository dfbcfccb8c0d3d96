import type { HostStateV1 } from '@hopcount/contracts';
import { type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { LOCK_FOLD } from '../host-fold.js';
import { isSums, keyColumns, type StateRow, sumColumns, toRow, toState } from './state-rows.js';
import type { StateTopic } from './state-topic.js';

const LOCK = "SELECT pg_advisory_xact_lock(hashtext('publish-hosts'))";
const TAKE_LONGER = `SELECT set_config('statement_timeout', '2min', true)`;
const READ_OWN = `SELECT name, epoch::float8 AS epoch, is_whole AS "isWhole", next_offset AS "nextOffset" FROM host_datacenter`;
const SET_OFFSET =
  'UPDATE host_datacenter SET next_offset = $2 WHERE epoch = $1 AND next_offset IS NOT DISTINCT FROM $3';
const SET_WHOLE = 'UPDATE host_datacenter SET is_whole = true WHERE epoch = $1';
const COMPARE_PUBLISHED = loadSql(import.meta.url, 'sql/compare-published.sql');
const BEGIN_EPOCH = loadSql(import.meta.url, 'sql/begin-epoch.sql');
const RAISE_EPOCH = loadSql(import.meta.url, 'sql/raise-epoch.sql');
const MARK_NEXT = loadSql(import.meta.url, 'sql/mark-next.sql');
const MARK_AGAIN = loadSql(import.meta.url, 'sql/mark-again.sql');
const FIND_MISSING = loadSql(import.meta.url, 'sql/find-missing.sql');

/** Of one transaction, in which nobody folds. They are published before the next ones are noted, so folds take turns. */
const HOSTS_MARKED_AT_ONCE = 2_000;

interface Own {
  name: string;
  epoch: number;
  isWhole: boolean;
  nextOffset: string | null;
}

/**
 * In which epoch a data centre says what it counted. `host_datacenter` says how far its topic goes, and moves with each portion. A topic that ends
 * before that lost some; records behind it came from a publisher that was stopped between sending and knowing, perhaps long after others went on: what they
 * are of is said again, so the last record of a key is the newest in the end.
 *
 * begun (not whole): rows are noted as unpublished, some hosts at a time, then zeros are said of names this database has no row of → whole.
 */
export class HostEpochs {
  constructor(
    private readonly database: Database,
    private readonly dc: string,
    private readonly topic: StateTopic,
    private readonly atOnce: number,
  ) {}

  /** Reads the topic. @returns the epoch, and whether it is a new one; undefined: the signal came first */
  async begin(signal?: AbortSignal): Promise<{ epoch: number; isNew: boolean } | undefined> {
    const own = await this.#own();
    if (own !== undefined && own.name !== this.dc) throw otherDataCentre(`This database counts for "${own.name}"`);
    const topic = await this.#readTopic(own?.epoch ?? -1, { signal });
    if (topic === undefined) return undefined;
    const { highest, isLost, end } = topic;
    const isShort = own !== undefined && own.nextOffset !== null && end < BigInt(own.nextOffset);
    if (own !== undefined && highest !== -1 && !isLost && !isShort) {
      if (own.nextOffset === null) await this.database.execute(SET_OFFSET, [own.epoch, end.toString(), null]);
      return { epoch: own.epoch, isNew: false };
    }
    // Also of seconds: should the topic be gone together with a part of the database, peers still hold less.
    const epoch = Math.max(highest + 1, (own?.epoch ?? 0) + 1, Math.floor(Date.now() / 1_000));
    await this.database.transaction(async (tx) => {
      await tx.query(TAKE_LONGER);
      // A fold under way does not know yet that its totals are to be published.
      if (own === undefined) await tx.query(LOCK_FOLD);
      const begun = await tx.query(BEGIN_EPOCH, [this.dc, epoch, own?.epoch ?? null, end.toString()]);
      if (begun.length === 0) throw fenced('Somebody else began an epoch meanwhile.');
    });
    return { epoch, isNew: true };
  }

  /**
   * Publishes in a transaction that keeps other publishers away.
   * @returns whether they stand where they should; else the caller forgets nothing
   */
  async send(tx: Transaction, epoch: number, from: bigint, states: HostStateV1[]): Promise<boolean> {
    // Asked first: what is sent into a log that lost its end could cover the loss, should this process end now.
    const end = await this.topic.end();
    if (end < from) await tx.query(RAISE_EPOCH, [epoch, end.toString()]);
    if (end !== from) return false;
    const at = await this.topic.publish(states);
    const next = at + BigInt(states.length);
    if (at < from) await tx.query(RAISE_EPOCH, [epoch, next.toString()]);
    if (at !== from) return false;
    const { affected } = await tx.execute(SET_OFFSET, [epoch, next.toString(), from.toString()]);
    if (affected === 0) throw fenced('A new epoch began meanwhile.');
    return true;
  }

  /** What others put behind the last portion is said again. @returns false: it is of a database that knows more than this one */
  async takeIn(signal?: AbortSignal): Promise<boolean> {
    const own = await this.#own();
    if (own === undefined || own.nextOffset === null) return false;
    const from = BigInt(own.nextOffset);
    const onRows = (rows: StateRow[]) => this.database.execute(MARK_AGAIN, keyColumns(rows));
    const topic = await this.#readTopic(own.epoch, { from, signal, onRows });
    if (topic?.isLost === true) return false;
    if (topic !== undefined && topic.end > from) {
      await this.database.execute(SET_OFFSET, [own.epoch, topic.end.toString(), own.nextOffset]);
    }
    return true;
  }

  /** Everything noted so far is said: notes more of an epoch, or ends its beginning. @returns false: the topic is not as it was left */
  async advance(epoch: number, signal?: AbortSignal): Promise<boolean> {
    const noted = await this.database.transaction(async (tx) => {
      await tx.query(TAKE_LONGER);
      await tx.query(LOCK_FOLD);
      return tx.query(MARK_NEXT, [epoch, HOSTS_MARKED_AT_ONCE]);
    });
    if (noted.length > 0) return true;
    let isSaid = true;
    const end = await this.topic.read(
      async (states) => {
        if (isSaid) isSaid = await this.#sayZeros(epoch, states);
      },
      { signal },
    );
    if (isSaid && end !== undefined) await this.database.execute(SET_WHOLE, [epoch]);
    return isSaid;
  }

  async #own(): Promise<Own | undefined> {
    return (await this.database.query<Own>(READ_OWN))[0];
  }

  /** @returns undefined: the signal came before its end */
  async #readTopic(
    ownEpoch: number,
    { onRows, ...options }: { from?: bigint; signal?: AbortSignal | undefined; onRows?: (rows: StateRow[]) => unknown },
  ) {
    let highest = -1;
    let isLost = false;
    const end = await this.topic.read(async (states) => {
      const foreign = states.find(({ dc }) => dc !== this.dc);
      if (foreign !== undefined) throw otherDataCentre(`The topic has what "${foreign.dc}" counted`);
      for (const { epoch } of states) highest = Math.max(highest, epoch);
      const rows = states.filter(isSums).map(toRow);
      if (highest > ownEpoch) isLost = true;
      if (isLost || rows.length === 0) return;
      const values = [...keyColumns(rows), ...sumColumns(rows), ownEpoch];
      const [row] = await this.database.query<{ isLost: boolean }>(COMPARE_PUBLISHED, values);
      isLost = row?.isLost === true;
      if (!isLost) await onRows?.(rows);
    }, options);
    return end === undefined ? undefined : { highest, isLost, end };
  }

  /** Peers hold what the lost database had counted of names that this one never met. Nobody publishes a row of such a name meanwhile. */
  async #sayZeros(epoch: number, states: HostStateV1[]): Promise<boolean> {
    const before = states.filter(isSums).filter((state) => state.epoch < epoch);
    if (before.length === 0) return true;
    const some = await this.database.query<StateRow>(FIND_MISSING, keyColumns(before.map(toRow)));
    for (let at = 0; at < some.length; at += this.atOnce) {
      const isSaid = await this.database.transaction(async (tx) => {
        await tx.query(LOCK);
        const [own] = await tx.query<Own>(READ_OWN);
        if (own?.epoch !== epoch || own.isWhole || own.nextOffset === null) return false;
        const missing = await tx.query<StateRow>(FIND_MISSING, keyColumns(some.slice(at, at + this.atOnce)));
        if (missing.length === 0) return true;
        const zeros = missing.map((row) => toState(this.dc, { ...row, epoch, p: 0, n: 0 }));
        return this.send(tx, epoch, BigInt(own.nextOffset), zeros);
      });
      if (!isSaid) return false;
    }
    return true;
  }
}

function fenced(what: string): AppError {
  return new AppError('checkpoint-fenced', what, { retryable: true });
}

function otherDataCentre(what: string): AppError {
  return new AppError('other-data-centre', `${what}: DATACENTER, DATABASE_URL and HOST_STATE_TOPIC go together.`);
}
