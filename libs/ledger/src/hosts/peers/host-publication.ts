import { type HostStateV1, isSayableHost } from '@hopcount/contracts';
import { arrayLiteral, type Database, loadSql, type Transaction } from '@hopcount/postgres';

import { HostEpochs } from './host-epochs.js';
import { type StateRow, toState } from './state-rows.js';
import type { StateTopic } from './state-topic.js';

/** Until the end of the transaction nobody else publishes. */
const LOCK = "SELECT pg_try_advisory_xact_lock(hashtext('publish-hosts')) AS locked";
const READ_UNPUBLISHED = loadSql(import.meta.url, 'sql/read-unpublished.sql');
const FORGET_PUBLISHED = loadSql(import.meta.url, 'sql/forget-published.sql');
/** Of one request to Kafka, and such requests of one run. */
const STATES_AT_ONCE = 1_000;
const PORTIONS_OF_RUN = 50;
/** So often it says that all is there, if nothing changes. */
const SAY_EVERY_MS = 5_000;

const FIRST = { hostId: 0, class: 0 };

interface PublicationReport {
  published: number;
  /** Sums that no number of JSON can say, or names that peers do not take. */
  refused: number;
  /** A new epoch was begun: this database is new to the topic or from a backup, the topic lost some, or a sum shrank. */
  newEpoch: number | null;
}

interface UnpublishedRow {
  epoch: number;
  isWhole: boolean;
  nextOffset: string | null;
  asOf: Date | null;
  isAttributed: boolean;
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

/** One pass over all that changed. At its end everything is said that had changed when it began. */
interface Sweep {
  epoch: number;
  asOf: Date | null;
  /** Totals as of then are without all that was purged. */
  isAttributed: boolean;
  published: number;
  /** Behind which row it goes on, and where the topic ends if nobody else published since. */
  after: { hostId: number; class: number };
  next: bigint;
}

type Outcome = 'more' | 'all-said' | 'busy' | 'went-back' | 'displaced';

/**
 * Says in a topic what this data centre counted of each host: whole sums, so that what comes twice, late or not at all does no harm.
 *
 * new → begun: it has read its own topic to the end. What is newer there than in PostgreSQL was counted by a database that is no more
 * (this one is from a backup), so a higher epoch begins, and everything is said again in it. begun → new: PostgreSQL went back under it.
 */
export class HostPublication {
  readonly #epochs: HostEpochs;
  /** How far PostgreSQL was; undefined: new. */
  #seen: { epoch: number; change: bigint; incarnation: string } | undefined;
  #saidAtMs = -Infinity;
  #sweep: Sweep | undefined;

  constructor(
    private readonly database: Database,
    private readonly dc: string,
    topic: StateTopic,
    private readonly atOnce = STATES_AT_ONCE,
  ) {
    this.#epochs = new HostEpochs(database, dc, topic, atOnce);
  }

  /** What changed since the last time. @throws AppError `other-data-centre`; what the topic throws: it is said again next time */
  async publish(signal?: AbortSignal): Promise<PublicationReport> {
    const report: PublicationReport = { published: 0, refused: 0, newEpoch: null };
    for (let portion = 0; portion < PORTIONS_OF_RUN && signal?.aborted !== true; portion += 1) {
      if (!(await this.#step(report, signal))) break;
    }
    return report;
  }

  /** @returns whether there is more to do */
  async #step(report: PublicationReport, signal?: AbortSignal): Promise<boolean> {
    if (this.#seen === undefined) {
      const begun = await this.#epochs.begin(signal);
      if (begun === undefined) return false;
      if (begun.isNew) report.newEpoch = begun.epoch;
      this.#seen = { epoch: begun.epoch, change: 0n, incarnation: '' };
    }
    const { outcome, head } = await this.database.transaction((tx) => this.#publishPortion(tx, report));
    if (outcome === 'more' || outcome === 'busy') return outcome === 'more';
    if (outcome === 'all-said') {
      if (head?.isWhole !== false) return false;
      if (await this.#epochs.advance(head.epoch, signal)) return true;
    }
    this.#sweep = undefined;
    const isKnown = outcome !== 'went-back' && (await this.#epochs.takeIn(signal));
    if (!isKnown) this.#seen = undefined;
    return true;
  }

  async #publishPortion(
    tx: Transaction,
    report: PublicationReport,
  ): Promise<{ outcome: Outcome; head?: UnpublishedRow | undefined }> {
    const [lock] = await tx.query<{ locked: boolean }>(LOCK);
    if (lock?.locked !== true) return { outcome: 'busy' };
    const after = this.#sweep?.after ?? FIRST;
    const rows = await tx.query<UnpublishedRow>(READ_UNPUBLISHED, [this.atOnce, after.hostId, after.class]);
    const [head] = rows;
    if (head === undefined || head.nextOffset === null || this.#wentBack(head, report)) return { outcome: 'went-back' };
    const next = BigInt(head.nextOffset);
    const kept = this.#sweep;
    if (kept !== undefined && (kept.next !== next || kept.epoch !== head.epoch)) {
      this.#sweep = undefined;
      return { outcome: 'more' };
    }
    const sweep = kept ?? {
      epoch: head.epoch,
      asOf: head.asOf,
      isAttributed: head.isAttributed,
      published: 0,
      after: FIRST,
      next,
    };
    const changed = rows.filter((row): row is UnpublishedRow & StateRow => row.class !== null);
    const sayable = changed.filter(
      ({ p, n, name }) => Number.isSafeInteger(p) && Number.isSafeInteger(n) && isSayableHost(name),
    );
    const isCut = changed.length === this.atOnce;
    const published = sweep.published + sayable.length;
    const said: HostStateV1[] = sayable.map((row) => toState(this.dc, row));
    if (!isCut && head.isWhole) said.push(...this.#completeness({ ...sweep, published }));
    if (said.length > 0 && !(await this.#epochs.send(tx, head.epoch, next, said))) return { outcome: 'displaced' };
    await tx.query(FORGET_PUBLISHED, [
      arrayLiteral(changed.map(({ hostId }) => hostId)),
      arrayLiteral(changed.map((row) => row.class)),
      arrayLiteral(changed.map(({ change }) => change)),
    ]);
    this.#sweep = isCut ? { ...sweep, published, after: changed.at(-1)!, next: next + BigInt(said.length) } : undefined;
    if (said.length > sayable.length) this.#saidAtMs = performance.now();
    report.published += sayable.length;
    report.refused += changed.length - sayable.length;
    return { outcome: isCut ? 'more' : 'all-said', head };
  }

  /** That everything is there, if it is time to say so. */
  #completeness({ epoch, asOf, isAttributed, published }: Sweep): HostStateV1[] {
    const isDue = published > 0 || performance.now() - this.#saidAtMs >= SAY_EVERY_MS;
    return asOf === null || !isDue ? [] : [{ version: 1, dc: this.dc, epoch, asOf: asOf.getTime(), isAttributed }];
  }

  /** Whether PostgreSQL is not what it was: from a backup, brought back under this process. */
  #wentBack({ epoch, lastChange, incarnation }: UnpublishedRow, report: PublicationReport): boolean {
    const seen = this.#seen;
    const change = BigInt(lastChange);
    if (seen !== undefined && (epoch < seen.epoch || change < seen.change)) return true;
    if (seen !== undefined && seen.incarnation !== '' && incarnation !== seen.incarnation) return true;
    if (seen !== undefined && epoch > seen.epoch) report.newEpoch = epoch;
    this.#seen = { epoch, change, incarnation };
    return false;
  }
}
