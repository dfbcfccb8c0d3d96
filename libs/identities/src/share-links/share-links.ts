import { type Database, loadPreparedSql, loadSql, type Queryable } from '@hopcount/postgres';
import { AppError, Reach } from '@hopcount/runtime';

import { Remembered, type Verifying } from '../remembered.js';
import { reachOfUser, type Roles } from '../users/roles.js';
import type { UserIdentity } from '../users/sessions.js';
import { hashToken, isToken, makeToken } from '../users/token.js';

const FIND = loadPreparedSql(import.meta.url, 'sql/find-share-link.sql');
const LIST = loadSql(import.meta.url, 'sql/list-share-links.sql');
const INSERT = loadSql(import.meta.url, 'sql/insert-share-link.sql');
/** Two that a user makes at once are counted one after the other, and nobody is disabled meanwhile. */
const HOLD_MAKER = 'SELECT FROM users WHERE id = $1 AND enabled FOR NO KEY UPDATE';
const DROP_EXPIRED = 'DELETE FROM share_links WHERE user_id = $1 AND expires_at <= now()';
const DROP_ALL = 'DELETE FROM share_links WHERE user_id = $1';
const REVOKE = 'DELETE FROM share_links WHERE id = $1 AND ($3 OR user_id = $2) RETURNING id';

const LINKS_OF_A_USER = 100;

/** Whose visits are shown and which of them, as a question says it; null: not named. */
export interface SharedView {
  domain: string | null;
  tag: string | null;
  group: string | null;
  shortCode: string | null;
  filters: readonly string[];
}

/** Whoever has the link. */
export interface ShareIdentity {
  kind: 'share';
  id: number;
  name: string;
  /** SHA-256 of its token. */
  hash: Buffer;
  view: SharedView;
  /** Its tag, as it is called now; null: of none. */
  tag: string | null;
  /** What its maker reaches now, of what they reached when they made it. */
  reach: Reach;
}

interface ShareRow extends Roles {
  id: number;
  name: string;
  view: SharedView;
  tag: string | null;
  inGroups: readonly string[] | null;
  endsInMs: number;
}

export interface ShareLinkRecord {
  id: number;
  name: string;
  view: SharedView;
  makerId: number;
  makerName: string;
  createdAt: Date;
  expiresAt: Date;
}

interface NewShareLink {
  name: string;
  view: SharedView;
  /** Of a view of one link. */
  linkId: string | number | bigint | null;
  /** Of a view of one tag. */
  tagId: number | null;
  /** Of who makes it. */
  reach: Reach;
  expiresAt: Date;
}

/** Links to one view of statistics, for whoever has them, until they end. */
export class ShareLinks {
  readonly #known: Remembered<ShareIdentity>;

  constructor(
    private readonly database: Database,
    options: { cacheTtlMs?: number } = {},
  ) {
    this.#known = new Remembered((hash) => this.#find(hash), options.cacheTtlMs);
  }

  /** undefined for one that has ended, for whatever reason: each takes the same one question of PostgreSQL. */
  async verify(token: string, { beforeNew }: Pick<Verifying, 'beforeNew'> = {}): Promise<ShareIdentity | undefined> {
    if (!isToken(token)) return undefined;
    const hash = hashToken(token);
    if (!this.#known.wasFound(hash)) await beforeNew?.();
    return this.#known.get(hash);
  }

  /** The user's own, or everybody's. Newest first. */
  async list(
    user: Pick<UserIdentity, 'id'>,
    { ofEverybody, limit, offset }: { ofEverybody: boolean; limit: number; offset: number },
  ): Promise<{ shareLinks: ShareLinkRecord[]; totalItems: number }> {
    const rows = await this.database.query<ShareLinkRecord & { totalItems: number }>(LIST, [
      ...[user.id, ofEverybody, limit, offset],
    ]);
    return { shareLinks: rows, totalItems: rows[0]?.totalItems ?? 0 };
  }

  /** @returns what the link holds, this once. @throws AppError `too-many-share-links`, `user-not-found`: disabled meanwhile */
  async create(
    { id: userId, name: makerName }: Pick<UserIdentity, 'id' | 'name'>,
    { name, view, linkId, tagId, reach, expiresAt }: NewShareLink,
  ): Promise<{ token: string; shareLink: ShareLinkRecord }> {
    const { token, hash } = makeToken();
    const row = await this.database.transaction(async (tx) => {
      if ((await tx.query(HOLD_MAKER, [userId])).length === 0) {
        throw new AppError('user-not-found', `There is no user "${userId}" any more.`);
      }
      await tx.query(DROP_EXPIRED, [userId]);
      const values = [
        hash,
        name,
        userId,
        JSON.stringify(view),
        linkId,
        reach.groups,
        expiresAt,
        LINKS_OF_A_USER,
        tagId,
      ];
      const [made] = await tx.query<Omit<ShareLinkRecord, 'makerId' | 'makerName'>>(INSERT, values);
      return made;
    });
    if (row !== undefined) return { token, shareLink: { ...row, makerId: userId, makerName } };
    const message = `You have ${LINKS_OF_A_USER} share links, which is as many as there may be: revoke one first.`;
    throw new AppError('too-many-share-links', message);
  }

  /** @param ofEverybody also those of others. @throws AppError `share-link-not-found` */
  async revoke(id: number, user: Pick<UserIdentity, 'id'>, { ofEverybody }: { ofEverybody: boolean }): Promise<void> {
    const gone = await this.database.transaction((tx) => tx.query(REVOKE, [id, user.id, ofEverybody]));
    if (gone.length === 0) throw new AppError('share-link-not-found', `There is no share link "${id}".`);
    this.#known.forget();
  }

  async #find(hash: Buffer) {
    const [row] = await this.database.query<ShareRow>(FIND, [hash]);
    const reach = row && reachOf(row);
    if (row === undefined || reach === undefined) return undefined;
    const { id, name, view, tag, endsInMs } = row;
    // One from before names its tag, and shows whichever has the name.
    return { value: { kind: 'share' as const, hash, id, name, view, tag: tag ?? view.tag, reach }, endsInMs };
  }
}

/** Of who may not share any more; the caller changed their row before. */
export async function dropShareLinksOf(tx: Queryable, userId: number): Promise<void> {
  await tx.query(DROP_ALL, [userId]);
}

/** Never more than the maker reaches now, and never more than they reached then; undefined: the view is not theirs any more. */
function reachOf({ role, groups, inGroups, view }: ShareRow): Reach | undefined {
  const now = reachOfUser({ role, groups }, 'statistics:read');
  if (now === undefined) return undefined;
  const both = inGroups?.filter((id) => now.isWhole || now.holdsGroup(id)) ?? now.groups;
  if (both === null) return Reach.everything;
  if (both.length === 0 || (view.group !== null && !both.includes(view.group))) return undefined;
  return Reach.ofGroups(both);
}
