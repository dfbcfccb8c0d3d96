import type { HostStateV1 } from '@hopcount/contracts';
import { arrayLiteral, type Database, loadSql, type Transaction } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { LOCK_FOLD } from '../host-fold.js';
import { isSums, keyColumns, type StateRow, sumColumns, toRow, toState } from './state-rows.js';

/** Until the end of the transaction nobody else publishes: the last record of a key is the newest. */
const LOCK = "SELECT pg_try_advisory_xact_lock(hashtext('publish-hosts')) AS locked";
const TAKE_LONGER = `SELECT set_config('statement_timeout', '2min', true)`;
const READ_OWN = 'SELECT name, epoch::float8 AS epoch, is_whole AS "isWhole" FROM host_datacenter';
const SET_WHOLE = 'UPDATE host_datacenter SET is_whole = true WHERE epoch = $1';
const READ_UNPUBLISHED = loadSql(import.meta.url, 'sql/read-unpublished.sql');
const FORGET_PUBLISHED = loadSql(import.meta.url, 'sql/forget-published.sql');
const COMPARE_PUBLISHED = loadSql(import.meta.url, 'sql/compare-published.sql');
const BEGIN_EPOCH = loadSql(import.meta.url, 'sql/begin-epoch.sql');
const PUBLISH_ALL = loadSql(import.meta.url, 'sql/publish-all.sql');
const FIND_MISSING = loadSql(import.meta.url, 'sql/find-missing.sql');

/** Of one request to Kafka, and such requests of one run. */
const STATES_AT_ONCE = 1_000;
const PORTIONS_OF_RUN = 50;
/** So often it says that all is there, if nothing changes. */
const SAY_EVERY_MS = 5_000;
/** What readers take (host-state.ts of contracts). */
const LONGEST_NAME = 1_000;

const FIRST = { hostId: 0, class: 0 };

/** The topic in which a data centre says what it counted. */
export interface StateTopic {
  /** All that is in it, in order. */
  read(onStates: (states: HostStateV1[]) => Promise<void>): Promise<void>;
  /** Resolves once they are durable, in this order. */
  publish(states: HostStateV1[]): Promise<void>;
}

interface PublicationReport {
  published: number;
  /** Sums that no number of JSON can say, or longer names than peers take. */
  refused: number;
  /** A new epoch was begun: this database is new to the topic, or from a backup. */
  newEpoch: number | null;
}

interface Own {
  name: string;
  epoch: number;
  isWhole: boolean;
}

interface UnpublishedRow {
  epoch: number;
  isWhole: boolean;
  asOf: Date;
  lastChange: string;
  incarnation: string;
  hostId: number;
  /** null: nothing changed. */
  class: number | null;
  change: string;
  kind: number;
  name: string;
  p: number;
  n: number;
}

/**
 * Says in a topic what this data centre counted of each host: whole sums, so that what comes twice, late or not at all does no harm.
 *
 * new → begun: it has read its own topic to the end. What is newer there than in PostgreSQL was counted by a database that is no more
 * (this one is from a backup), so a higher epoch begins, and everything is said again in it. begun → new: PostgreSQL went back under it, or
 * somebody took away of a sum (a rebuild), and with it began an epoch.
 */
export class HostPublication {
  /** How far PostgreSQL was; undefined: new. */
  #seen: { epoch: number; change: bigint; incarnation: string } | undefined;
  #saidAtMs = -Infinity;
  /** Behind which row it goes on: the next portions need not pass what is gone of those before. */
  #after = FIRST;

  constructor(
    private readonly database: Database,
    private readonly dc: string,
    private readonly topic: StateTopic,
    private readonly atOnce = STATES_AT_ONCE,
  ) {}

  /** What changed since the last time. @throws AppError `other-data-centre`; what the topic throws: it is said again next time */
  async publish(signal?: AbortSignal): Promise<PublicationReport> {
    const report: PublicationReport = { published: 0, refused: 0, newEpoch: null };
    for (let portion = 0; portion < PORTIONS_OF_RUN && signal?.aborted !== true; portion += 1) {
      if (this.#seen === undefined) report.newEpoch = (await this.#begin()) ?? report.newEpoch;
      const isMore = await this.database.transaction((tx) => this.#publishPortion(tx, report));
      if (!isMore) break;
    }
    return report;
  }

  /** @returns whether there is more */
  async #publishPortion(tx: Transaction, report: PublicationReport): Promise<boolean> {
    const [lock] = await tx.query<{ locked: boolean }>(LOCK);
    if (lock?.locked !== true) return false;
    const after = this.#after;
    const rows = await tx.query<UnpublishedRow>(READ_UNPUBLISHED, [this.atOnce, after.hostId, after.class]);
    const [head] = rows;
    if (head?.isWhole !== true || this.#wentBack(head)) {
      this.#seen = undefined;
      return true;
    }
    const changed = rows.filter((row): row is UnpublishedRow & StateRow => row.class !== null);
    const sayable = changed.filter(
      ({ p, n, name }) => Number.isSafeInteger(p) && Number.isSafeInteger(n) && name.length <= LONGEST_NAME,
    );
    const states: HostStateV1[] = sayable.map((row) => toState(this.dc, row));
    const isCut = changed.length === this.atOnce;
    const isMore = isCut || after !== FIRST;
    const isSilent = performance.now() - this.#saidAtMs >= SAY_EVERY_MS;
    if (!isMore && (states.length > 0 || isSilent)) {
      states.push({ version: 1, dc: this.dc, epoch: head.epoch, asOf: head.asOf.getTime() });
      this.#saidAtMs = performance.now();
    }
    if (states.length > 0) await this.topic.publish(states);
    await tx.query(FORGET_PUBLISHED, [
      arrayLiteral(changed.map(({ hostId }) => hostId)),
      arrayLiteral(changed.map((row) => row.class)),
      arrayLiteral(changed.map(({ change }) => change)),
    ]);
    this.#after = isCut ? changed.at(-1)! : FIRST;
    report.published += sayable.length;
    report.refused += changed.length - sayable.length;
    return isMore;
  }

  /** Whether PostgreSQL is not what it was: from a backup, brought back under this process. */
  #wentBack({ epoch, lastChange, incarnation }: UnpublishedRow): boolean {
    const seen = this.#seen;
    const change = BigInt(lastChange);
    if (seen !== undefined && (epoch < seen.epoch || change < seen.change)) return true;
    if (seen !== undefined && seen.incarnation !== '' && incarnation !== seen.incarnation) return true;
    this.#seen = { epoch, change, incarnation };
    return false;
  }

  /** @returns the epoch, if a new one was begun */
  async #begin(): Promise<number | null> {
    const [own] = await this.database.query<Own>(READ_OWN);
    if (own !== undefined && own.name !== this.dc) throw otherDataCentre(`This database counts for "${own.name}"`);
    const { highest, isLost } = await this.#readTopic(own?.epoch ?? -1);
    let epoch = own?.epoch ?? 0;
    const isNew = own === undefined || highest === -1 || isLost;
    if (isNew) {
      // Also of seconds: should the topic be gone together with a part of the database, peers still hold less.
      epoch = Math.max(highest + 1, epoch + 1, Math.floor(Date.now() / 1_000));
      await this.#beginEpoch(epoch, own?.epoch ?? null);
    }
    if (isNew || !own.isWhole) await this.#sayZeros(epoch);
    this.#seen = { epoch, change: 0n, incarnation: '' };
    return isNew ? epoch : null;
  }

  async #readTopic(ownEpoch: number): Promise<{ highest: number; isLost: boolean }> {
    let highest = -1;
    let isLost = false;
    await this.topic.read(async (states) => {
      const foreign = states.find(({ dc }) => dc !== this.dc);
      if (foreign !== undefined) throw otherDataCentre(`The topic has what "${foreign.dc}" counted`);
      for (const { epoch } of states) highest = Math.max(highest, epoch);
      const rows = states.filter(isSums).map(toRow);
      if (highest > ownEpoch) isLost = true;
      if (isLost || rows.length === 0) return;
      const values = [...keyColumns(rows), ...sumColumns(rows), ownEpoch];
      const [row] = await this.database.query<{ isLost: boolean }>(COMPARE_PUBLISHED, values);
      isLost = row?.isLost === true;
    });
    return { highest, isLost };
  }

  async #beginEpoch(epoch: number, before: number | null): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(TAKE_LONGER);
      // A fold under way does not know yet that its totals are to be published.
      await tx.query(LOCK_FOLD);
      const begun = await tx.query(BEGIN_EPOCH, [this.dc, epoch, before]);
      if (begun.length === 0) {
        throw new AppError('checkpoint-fenced', 'Somebody else began an epoch meanwhile.', { retryable: true });
      }
      await tx.query(PUBLISH_ALL);
    });
  }

  /** Peers hold what the lost database had counted of names that this one never met. */
  async #sayZeros(epoch: number): Promise<void> {
    await this.topic.read(async (states) => {
      const before = states.filter(isSums).filter((state) => state.epoch < epoch);
      if (before.length === 0) return;
      const missing = await this.database.query<StateRow>(FIND_MISSING, keyColumns(before.map(toRow)));
      for (let at = 0; at < missing.length; at += this.atOnce) {
        const zeros = missing.slice(at, at + this.atOnce).map((row) => ({ ...row, epoch, p: 0, n: 0 }));
        await this.topic.publish(zeros.map((row) => toState(this.dc, row)));
      }
    });
    await this.database.execute(SET_WHOLE, [epoch]);
  }
}

function otherDataCentre(what: string): AppError {
  return new AppError('other-data-centre', `${what}: DATACENTER, DATABASE_URL and HOST_STATE_TOPIC go together.`);
}
