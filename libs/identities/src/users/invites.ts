import type { AuditActorKind } from '@hopcount/contracts';
import { type Database, loadSql, type Queryable } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { checkRoles, type Roles } from './roles.js';
import { hashToken, isToken, makeToken } from './token.js';

const LIST_INVITES = loadSql(import.meta.url, 'sql/list-invites.sql');
const INSERT_INVITE = loadSql(import.meta.url, 'sql/insert-invite.sql');
const SEE_INVITE = loadSql(import.meta.url, 'sql/see-invite.sql');
const TAKE_INVITE = loadSql(import.meta.url, 'sql/take-invite.sql');
const COUNT_INVITES = `SELECT count(*)::integer AS number FROM invites
  WHERE expires_at > now() AND (NOT only_first OR NOT EXISTS (SELECT FROM users))`;
const DROP_INVITES = 'DELETE FROM invites WHERE expires_at <= now() OR user_id = $1 OR ($2 AND only_first)';
const DROP_OF_USER = 'DELETE FROM invites WHERE created_by_user = $1';
const DROP_OF_KEY = 'DELETE FROM invites WHERE created_by_key = $1';
/** Two that are made at once are counted one after the other. Taking one goes on meanwhile. */
const ONE_AT_A_TIME = 'LOCK TABLE invites IN SHARE UPDATE EXCLUSIVE MODE';
/** As they are once whoever changes them has done so, and until the link is there. In order, so that no two wait for each other. */
const HOLD_USERS = `SELECT id, enabled AND role = 'owner' AS "isOwner" FROM users WHERE id = ANY ($1::integer[])
  ORDER BY id FOR NO KEY UPDATE`;
const HOLD_KEY = 'SELECT id FROM api_keys WHERE id = $1 AND enabled AND revoked_at IS NULL FOR SHARE';

const INVITES_AT_MOST = 1_000;
const INVITE_SECONDS = 7 * 86_400;
const RESET_SECONDS = 86_400;

/** The token of a link that is used once; only its hash is kept. */
export interface IssuedInvite {
  token: string;
  expiresAt: Date;
}

/** One that can still be used, without its token. */
export interface OpenInvite extends Roles {
  id: number;
  /** Whose password it is about; null: it makes an account. */
  email: string | null;
  onlyFirst: boolean;
  /** null: a command. */
  createdBy: { kind: Extract<AuditActorKind, 'user' | 'api-key'>; id: number; name: string } | null;
  createdAt: Date;
  expiresAt: Date;
}

/** Who makes a link, which ends when they may not make any more; null: a command. */
export type Maker = { kind: 'user' | 'key'; id: number } | null;

interface NewInvite extends Roles {
  userId: number | null;
  onlyFirst: boolean;
  seconds: number;
}

/** Links that make an account, or give one another password. */
export class Invites {
  constructor(private readonly database: Database) {}

  /** Newest first. */
  async list(page: { offset: number; limit: number }): Promise<{ invites: OpenInvite[]; totalItems: number }> {
    return this.database.transaction(
      async (tx) => {
        const [count] = await tx.query<{ number: number }>(COUNT_INVITES);
        const invites = await tx.query<OpenInvite>(LIST_INVITES, [page.limit, page.offset]);
        return { invites, totalItems: count?.number ?? 0 };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }

  /** It works no more. @throws AppError `invite-not-found` */
  async withdraw(id: number): Promise<void> {
    const gone = await this.database.transaction((tx) =>
      tx.query('DELETE FROM invites WHERE id = $1 RETURNING id', [id]),
    );
    if (gone.length === 0) throw new AppError('invite-not-found', `There is no open invite or reset "${id}".`);
  }

  /**
   * A link that makes an account with these roles.
   * @param onlyFirst of the first owner: none is made once there is an account, and the link is worth nothing from then on
   * @throws AppError `invalid-data`, `too-many-users`, `user-conflict`
   */
  async invite(given: Roles & { onlyFirst?: boolean | undefined }, by: Maker): Promise<IssuedInvite> {
    const { role, groups, onlyFirst = false } = given;
    return this.database.transaction(async (tx) => {
      const wanted = await checkRoles(tx, { role, groups });
      if (onlyFirst && (await tx.query('SELECT FROM users LIMIT 1')).length > 0) {
        throw new AppError('user-conflict', 'There is an account already: its owner invites others.');
      }
      return issue(tx, { userId: null, ...wanted, onlyFirst, seconds: INVITE_SECONDS }, by);
    });
  }

  /**
   * A link that gives a user another password; used, it ends their sessions and removes their second factor. One at a time.
   * @throws AppError `user-not-found`, `user-conflict`
   */
  async reset(userId: number, by: Maker): Promise<IssuedInvite> {
    const none = { role: null, groups: {}, onlyFirst: false };
    return this.database.transaction((tx) => issue(tx, { userId, ...none, seconds: RESET_SECONDS }, by));
  }
}

/** Without waiting for anybody. @returns whose password it is about. @throws AppError `invite-not-found` */
export async function seeInvite(queryable: Queryable, token: string): Promise<{ userId: number | null }> {
  const [invite] = isToken(token)
    ? await queryable.query<{ userId: number | null }>(SEE_INVITE, [hashToken(token)])
    : [];
  return invite ?? notFound();
}

/** Used up with the transaction. @throws AppError `invite-not-found` */
export async function takeInvite(tx: Queryable, token: string): Promise<Roles> {
  const [invite] = await tx.query<Roles>(TAKE_INVITE, [hashToken(token)]);
  return invite ?? notFound();
}

/** Links for another password of the user, whose row the caller changed before. */
export async function dropResets(tx: Queryable, userId: number): Promise<void> {
  await tx.query('DELETE FROM invites WHERE user_id = $1', [userId]);
}

/** What somebody made who may not any more; the caller changed their row before. */
export async function dropInvitesOf(tx: Queryable, { kind, id }: NonNullable<Maker>): Promise<void> {
  await tx.query(kind === 'user' ? DROP_OF_USER : DROP_OF_KEY, [id]);
}

async function issue(tx: Queryable, invite: NewInvite, by: Maker): Promise<IssuedInvite> {
  const { userId, role, groups, onlyFirst, seconds } = invite;
  await hold(tx, userId, by);
  await tx.query(ONE_AT_A_TIME);
  const { token, hash } = makeToken();
  await tx.query(DROP_INVITES, [userId, onlyFirst]);
  const makers = [by?.kind === 'user' ? by.id : null, by?.kind === 'key' ? by.id : null];
  const values = [hash, userId, role, JSON.stringify(groups), onlyFirst, seconds, INVITES_AT_MOST, ...makers];
  const [row] = await tx.query<{ expiresAt: Date }>(INSERT_INVITE, values);
  if (row !== undefined) return { token, ...row };
  throw new AppError('too-many-users', `There are ${INVITES_AT_MOST} open invites, which is as many as there may be.`);
}

/** So that nobody is disabled between being asked about and the link. @throws AppError `user-not-found`, `user-conflict` */
async function hold(tx: Queryable, userId: number | null, by: Maker): Promise<void> {
  const isMade = by?.kind !== 'key' || (await tx.query(HOLD_KEY, [by.id])).length > 0;
  const ids = [userId, by?.kind === 'user' ? by.id : null].filter((id) => id !== null);
  const users = ids.length === 0 ? [] : await tx.query<{ id: number; isOwner: boolean | null }>(HOLD_USERS, [ids]);
  const isOwner = by?.kind !== 'user' || users.some((user) => user.id === by.id && user.isOwner === true);
  if (!isMade || !isOwner) throw new AppError('user-conflict', 'Whoever asks for the link may not make any more.');
  if (userId === null || users.some((user) => user.id === userId)) return;
  throw new AppError('user-not-found', `There is no user "${userId}".`);
}

function notFound(): never {
  throw new AppError('invite-not-found', 'The link was used, has ended, or never was one: ask for another.');
}
