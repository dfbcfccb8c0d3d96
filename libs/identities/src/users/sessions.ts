import type { UserRole } from '@hopcount/contracts';
import { type Database, loadPreparedSql, loadSql, type Queryable } from '@hopcount/postgres';
import { AppError, type Logger } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

import { Remembered, type Verifying } from '../remembered.js';
import type { Roles } from './roles.js';
import { hashToken, isToken, makeToken } from './token.js';

const FIND_SESSION = loadPreparedSql(import.meta.url, 'sql/find-session.sql');
const BEGIN_SESSION = loadSql(import.meta.url, 'sql/begin-session.sql');
const DROP_OLD_SESSIONS = loadSql(import.meta.url, 'sql/drop-old-sessions.sql');
const LIST_SESSIONS = loadSql(import.meta.url, 'sql/list-sessions.sql');
const END_ONE = `DELETE FROM sessions WHERE user_id = $1 AND left(encode(token_hash, 'hex'), 16) = $2 RETURNING user_id`;
const END = 'DELETE FROM sessions WHERE token_hash = $1';
const END_OTHERS = 'DELETE FROM sessions WHERE user_id = $1 AND token_hash <> $2';
const END_ALL = 'DELETE FROM sessions WHERE user_id = $1';
const END_EVERYBODYS = 'WITH ended AS (DELETE FROM sessions RETURNING 1) SELECT count(*)::integer AS number FROM ended';
const WITHDRAW_ALL = `WITH ended AS (DELETE FROM invites RETURNING 1), shared AS (DELETE FROM share_links RETURNING 1)
  SELECT ((SELECT count(*) FROM ended) + (SELECT count(*) FROM shared))::integer AS number`;
const TOUCH = `UPDATE sessions SET seen_at = now() WHERE token_hash = $1 AND seen_at < now() - interval '1 minute'`;
const SESSION_ID = /^[0-9a-f]{16}$/;
const TOUCHES_KEPT = 2_000;
const TOUCH_EVERY_MS = 60_000;
/** A session ends after so long in any case, and a week after it was last used (find-session.sql). */
export const SESSION_SECONDS = 30 * 86_400;
/** The oldest goes. */
const SESSIONS_OF_A_USER = 50;
/** As of visits. */
const LONGEST_USER_AGENT = 512;

export interface UserIdentity extends Roles {
  kind: 'user';
  id: number;
  name: string;
  /** SHA-256 of the session's token. */
  hash: Buffer;
}

interface SessionRecord {
  /** Begins the hash of its token: no secret, and nobody else's. */
  id: string;
  /** The one that asks. */
  isThis: boolean;
  createdAt: Date;
  seenAt: Date;
  expiresAt: Date;
  /** Of the browser it was begun in; null: none is known. */
  userAgent: string | null;
}

/** Where somebody signs in. */
export interface Browser {
  /** What its cookie holds: of a session that was begun there before. */
  session: string | undefined;
  userAgent: string | null;
}

interface SessionRow {
  id: number;
  name: string;
  role: UserRole | null;
  groups: Record<string, UserRole>;
  endsInMs: number;
}

/** Who is signed in, by what their cookie holds. */
export class Sessions {
  readonly #known: Remembered<UserIdentity>;
  readonly #touched = new LRUCache<string, true>({ max: TOUCHES_KEPT, ttl: TOUCH_EVERY_MS });

  constructor(
    private readonly database: Database,
    private readonly options: { logger: Logger; cacheTtlMs?: number },
  ) {
    this.#known = new Remembered((hash) => this.#find(hash), options.cacheTtlMs);
  }

  /** Whose session it is; undefined for one that ended, or of a disabled account. */
  async verify(token: string, { beforeNew }: Pick<Verifying, 'beforeNew'> = {}): Promise<UserIdentity | undefined> {
    if (!isToken(token)) return undefined;
    const hash = hashToken(token);
    if (!this.#known.wasFound(hash)) await beforeNew?.();
    const identity = await this.#known.get(hash);
    if (identity !== undefined) this.#touch(identity);
    return identity;
  }

  async verifyHash(hash: Buffer): Promise<UserIdentity | undefined> {
    return this.#known.get(hash);
  }

  /**
   * A new one, never one that was there before: in the caller's transaction, after which the caller forgets if there was one.
   * @param browser its session, if there is one, ends
   * @returns what the cookie holds
   */
  async begin(tx: Queryable, userId: number, browser?: Browser): Promise<string> {
    const { token, hash } = makeToken();
    if (browser?.session !== undefined) await tx.query(END, [hashToken(browser.session)]);
    await tx.query(DROP_OLD_SESSIONS, [userId, SESSIONS_OF_A_USER - 1]);
    const userAgent = browser?.userAgent?.slice(0, LONGEST_USER_AGENT) ?? null;
    await tx.query(BEGIN_SESSION, [hash, userId, SESSION_SECONDS, userAgent]);
    this.#known.expect(hash);
    return token;
  }

  /** Of the user, who can end each. */
  async list({ id, hash }: UserIdentity): Promise<SessionRecord[]> {
    return this.database.query<SessionRecord>(LIST_SESSIONS, [id, hash]);
  }

  /** @throws AppError `session-not-found` */
  async endOne({ id: userId }: UserIdentity, id: string): Promise<void> {
    const gone = SESSION_ID.test(id) ? await this.database.query(END_ONE, [userId, id]) : [];
    if (gone.length === 0) throw new AppError('session-not-found', `You have no session "${id.slice(0, 32)}".`);
    this.forget();
  }

  /** @param everywhere all sessions of the user */
  async end({ id, hash }: UserIdentity, { everywhere }: { everywhere: boolean }): Promise<void> {
    await (everywhere ? this.database.query(END_ALL, [id]) : this.database.query(END, [hash]));
    this.forget();
  }

  /** In the caller's transaction, after which the caller forgets. @param but the one that goes on; absent: all end */
  async endAll(tx: Queryable, userId: number, but?: Buffer): Promise<void> {
    await (but === undefined ? tx.query(END_ALL, [userId]) : tx.query(END_OTHERS, [userId, but]));
  }

  /**
   * Of everybody, and the links of invites, resets and shared views: in a database that went back in time those that had ended are there again.
   * @returns how many there were
   */
  async endEverything(): Promise<{ sessions: number; links: number }> {
    return this.database.transaction(async (tx) => {
      const [ended] = await tx.query<{ number: number }>(END_EVERYBODYS);
      const [links] = await tx.query<{ number: number }>(WITHDRAW_ALL);
      return { sessions: ended?.number ?? 0, links: links?.number ?? 0 };
    });
  }

  /** After a change of a user in this process. */
  forget(): void {
    this.#known.forget();
  }

  async #find(hash: Buffer) {
    const [row] = await this.database.query<SessionRow>(FIND_SESSION, [hash]);
    if (row === undefined) return undefined;
    const { endsInMs, ...user } = row;
    return { value: { kind: 'user' as const, hash, ...user }, endsInMs };
  }

  /** Not waited for. */
  #touch({ hash, id }: UserIdentity): void {
    const name = hash.toString('base64');
    if (this.#touched.has(name)) return;
    this.#touched.set(name, true);
    this.database.query(TOUCH, [hash]).catch((error: unknown) => {
      this.options.logger.warn({ err: error, userId: id }, 'last use of a session not written');
    });
  }
}
