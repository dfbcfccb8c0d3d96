import { setTimeout as sleep } from 'node:timers/promises';

import { type Database, loadSql } from '@hopcount/postgres';
import { availabilityOf, isRedisAvailable, type RedisClient } from '@hopcount/redis';
import { failpoint, type Logger, actingAs } from '@hopcount/runtime';

import { publishLinkChanges } from '../resolution/link-changes.js';
import { COPY_TTL_MS, LinkRedis } from '../resolution/link-redis.js';
import { type LinkStateRow, stateFromRow } from '../resolution/resolved-link.js';

const READ_ANNOUNCEMENTS = loadSql(import.meta.url, 'sql/read-announcements.sql');

const IS_WAITING = 'SELECT FROM link_outbox LIMIT 1';

const FORGET_TOLD = 'DELETE FROM link_outbox WHERE id = ANY ($1::bigint[]) RETURNING id';

const DROP_EXPIRED = loadSql(import.meta.url, 'sql/drop-expired.sql');

const BATCH = 500;
/** What another process left behind is announced within this time. */
const LOOK_EVERY_MS = 500;
/** Longest a request waits for its own announcement; the change itself is committed. */
const PATIENCE_MS = 1_000;
const FORGET_EVERY_MS = 100;
/** Longest pause of a process after another one was faster with the same rows. */
const GIVE_WAY_MS = 100;

/** A link that was just created, and its row in `link_outbox`. */
export interface NewAnnouncement {
  row: string;
  domain: string;
  code: string;
}

/**
 * Announces committed changes of links: rows of `link_outbox`, written by the transaction of the change. Any
 * process may deliver any row, in any order, twice: Redis keeps the newer version of a link, and gateways only
 * forget what they hold. No transaction is open while Redis is asked: it would hold rows and a connection for as long.
 *
 *   read (rows and the links as they are now) → copies to Redis → message to the gateways → rows deleted
 *
 * What dies or fails before the deletion leaves the rows, which are delivered again. A change committed after the reading
 * has a row of its own, which this deletion does not name.
 */
export class LinkOutbox {
  readonly #copies: LinkRedis;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> | undefined;
  #delivery: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  /** Rows of new links that were announced and are still there. */
  #told: string[] = [];
  #forgetting: Promise<void> | undefined;

  constructor(
    private readonly database: Database,
    private readonly redis: RedisClient,
    private readonly logger: Logger,
  ) {
    this.#copies = new LinkRedis(redis);
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    }, LOOK_EVERY_MS).unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
    await (this.#next ?? this.#delivery);
    await this.#forgetting;
  }

  /**
   * For the process that has just committed a change: resolves when it is announced, or 1 s later. Never throws.
   * @param created the change, if it was nothing but creations: they need no question to PostgreSQL
   */
  async announce(created: readonly NewAnnouncement[] = []): Promise<void> {
    const announced = created.length > 0 ? this.#tell(created) : this.#deliver();
    await Promise.race([announced, sleep(PATIENCE_MS, undefined, { ref: false })]);
  }

  /** No copy of a new link can be anywhere, only a "no such link", which gateways forget. */
  async #tell(created: readonly NewAnnouncement[]): Promise<void> {
    const isTold = isRedisAvailable(this.redis) && (await publishLinkChanges(this.redis, created));
    if (!isTold) return this.#deliver();
    this.#told.push(...created.map(({ row }) => row));
    this.#forgetting ??= this.#forgetTold().finally(() => (this.#forgetting = undefined));
  }

  /**
   * Runs for as long as links are created, and sees no actor. No request waits for it. A row that is found before its
   * deletion, or after a failed one, is announced once more. One statement deletes all rows of a while, each of which was
   * committed on its own.
   */
  async #forgetTold(): Promise<void> {
    failpoint('links.after-announce-before-commit');
    while (this.#told.length > 0) {
      await sleep(FORGET_EVERY_MS);
      const rows = this.#told.splice(0);
      await this.database.query(FORGET_TOLD, [rows]).catch(() => undefined); // announced once more
    }
  }

  /** One statement while nothing waits. What cannot be asked is for the delivery to tell. */
  async #look(): Promise<void> {
    const rows = await this.database.query(IS_WAITING).catch(() => undefined); // the delivery logs it
    if (rows?.length !== 0 || !isRedisAvailable(this.redis)) await this.#deliver();
  }

  /** A delivery under way may have looked before the caller's COMMIT: the next one, which many callers share, has not. */
  #deliver(): Promise<void> {
    this.#next ??= this.#delivery.then(() => {
      this.#delivery = this.#next ?? Promise.resolve();
      this.#next = undefined;
      // For whoever waits, so for nobody in particular: the transaction says no actor.
      return actingAs(null, () => this.#deliverAll());
    });
    return this.#next;
  }

  async #deliverAll(): Promise<void> {
    try {
      if (!isRedisAvailable(this.redis)) return await this.#waitForRedis();
      while (await this.#deliverSome());
    } catch (error) {
      this.logger.warn({ err: error }, 'changes of links wait to be announced');
    }
  }

  /** Rows wait; those go that are older than any copy could be. The question makes a Redis that is back known. */
  async #waitForRedis(): Promise<void> {
    await availabilityOf(this.redis).ask('outbox-ping', () => this.redis.ping());
    await this.database.query(DROP_EXPIRED, [COPY_TTL_MS / 1_000]);
  }

  /** False when nothing is left. @throws when Redis or PostgreSQL did not do it */
  async #deliverSome(): Promise<boolean> {
    type Changed = (LinkStateRow & { incarnation: string }) | { domain: string; code: null } | { domain: null };
    const changes = await this.database.query<Changed & { rows: string[] }>(READ_ANNOUNCEMENTS, [BATCH]);
    if (changes.length === 0) return false;
    const told = changes.filter((change) => change.domain !== null);
    // No older copy of a new link can be anywhere; only a "no such link", which gateways forget.
    const puts = told.flatMap((change) => {
      if (change.code === null || change.version === '1') return [];
      return [this.#copies.put(change.incarnation, stateFromRow(change))];
    });
    const arePut = (await Promise.all(puts)).every(Boolean);
    // After the copies: a gateway that is told first could load an old one again.
    if (!arePut || !(await publishLinkChanges(this.redis, told))) throw new Error('Redis does not answer');
    failpoint('links.after-announce-before-commit');
    const forgotten = await this.database.query(FORGET_TOLD, [changes.flatMap(({ rows }) => rows)]);
    // Another process was faster with all of them: at random intervals they do not read the same rows again.
    if (forgotten.length === 0) await sleep(Math.random() * GIVE_WAY_MS);
    return true;
  }
}
