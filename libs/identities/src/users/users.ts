import { type Database, loadSql, type Queryable } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { dropInvitesOf, dropResets, seeInvite, takeInvite } from './invites.js';
import { dropShareLinksOf } from '../share-links/share-links.js';
import { NO_PASSWORD, noPassword, type Passwords } from './passwords.js';
import { checkRoles, type Roles } from './roles.js';
import type { SecondFactors } from './second-factors.js';
import type { Sessions } from './sessions.js';

const LIST_USERS = loadSql(import.meta.url, 'sql/list-users.sql');
export const INSERT_USER = loadSql(import.meta.url, 'sql/insert-user.sql');
const INSERT_GROUP_ROLES = loadSql(import.meta.url, 'sql/insert-group-roles.sql');
const COUNT_USERS = 'SELECT count(*)::integer AS number FROM users';
/**
 * Two who take a first owner's link at once: the second finds an account. Two owners who remove each other: one stays. Signing
 * in and changing a password go on meanwhile.
 */
export const ONE_AT_A_TIME = 'LOCK TABLE users IN SHARE UPDATE EXCLUSIVE MODE';
const SET_PASSWORD = 'UPDATE users SET password_hash = $2, last_sign_in_at = now() WHERE id = $1';
const EDIT_USER = `UPDATE users SET enabled = coalesce($2, enabled), role = CASE WHEN $3 THEN $4 ELSE role END WHERE id = $1
  RETURNING id`;
const FORGET_PASSWORD = 'UPDATE users SET password_hash = $2 WHERE id = $1 RETURNING id';
const UNBIND = 'DELETE FROM provider_identities WHERE user_id = $1';
const DELETE_USER = 'DELETE FROM users WHERE id = $1 RETURNING id';
export const HAS_OWNER = `SELECT FROM users WHERE role = 'owner' AND enabled LIMIT 1`;

/** With a way to sign in: a password, or whom they are at a provider. */
const OWNERS = `SELECT count(*)::integer AS enabled, count(*) FILTER (WHERE left(password_hash, 1) <> '${NO_PASSWORD}'
    OR EXISTS (SELECT FROM provider_identities WHERE user_id = users.id))::integer AS "canSignIn"
  FROM users WHERE role = 'owner' AND enabled`;

export const USERS_AT_MOST = 10_000;
const EMAIL = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,190}$/u;
export const NAME = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,100}$/u;

export interface UserRecord extends Roles {
  id: number;
  email: string;
  name: string;
  enabled: boolean;
  createdAt: Date;
  lastSignInAt: Date | null;
  /** Whether an account at a provider is bound. */
  hasProvider: boolean;
  /** Whether signing in takes a code. */
  secondFactor: boolean;
}

interface Accepted {
  token: string;
  /** Of a new account; a link for another password needs none. */
  email?: string | undefined;
  name?: string | undefined;
  password: string;
}

/** Makes and changes accounts. */
export class Users {
  constructor(
    private readonly database: Database,
    private readonly sessions: Sessions,
    private readonly passwords: Passwords,
    private readonly secondFactors: Pick<SecondFactors, 'remove'>,
  ) {}

  /** By email. */
  async list(page: { offset: number; limit: number }): Promise<{ users: UserRecord[]; totalItems: number }> {
    return this.database.transaction(
      async (tx) => {
        const [count] = await tx.query<{ number: number }>(COUNT_USERS);
        const users = await tx.query<UserRecord>(LIST_USERS, [null, null, page.limit, page.offset]);
        return { users, totalItems: count?.number ?? 0 };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }

  /** @throws AppError `user-not-found` */
  async get(id: number): Promise<UserRecord> {
    return find(this.database, [id, null], String(id));
  }

  /** @throws AppError `user-not-found` */
  async named(email: string): Promise<UserRecord> {
    return find(this.database, [null, normalEmail(email) ?? ''], email);
  }

  /**
   * Takes a link: makes its account, or gives its user the password; and signs in.
   * @returns what the cookie holds
   * @throws AppError `invite-not-found`, before anything is waited for or computed; `invalid-data`, `user-conflict`,
   * `too-many-users`, `sign-in-unavailable`
   */
  async accept(accepted: Accepted, userAgent: string | null): Promise<{ id: number; session: string }> {
    const { userId } = await seeInvite(this.database, accepted.token);
    const signedIn = await (userId === null
      ? this.#create(accepted, userAgent)
      : this.#setPassword(userId, accepted, userAgent));
    this.sessions.forget();
    return signedIn;
  }

  /** @throws AppError `user-not-found`, `invalid-data`, `last-owner` */
  async edit(id: number, edit: { enabled?: boolean | undefined } & Partial<Roles>): Promise<UserRecord> {
    return this.#change(async (tx) => {
      const before = await find(tx, [id, null], String(id));
      const { role = before.role, groups = before.groups } = edit;
      const hasRoles = edit.role !== undefined || edit.groups !== undefined;
      const wanted = hasRoles ? await checkRoles(tx, { role, groups }) : before;
      await tx.query(EDIT_USER, [id, edit.enabled ?? null, edit.role !== undefined, wanted.role]);
      if (edit.groups !== undefined) {
        await tx.query('DELETE FROM group_roles WHERE user_id = $1', [id]);
        await tx.query(INSERT_GROUP_ROLES, [id, JSON.stringify(wanted.groups)]);
      }
      const isDisabled = edit.enabled === false;
      if (isDisabled) await this.sessions.endAll(tx, id);
      if (isDisabled) await dropResets(tx, id);
      if (isDisabled) await dropShareLinksOf(tx, id);
      if (isDisabled || (before.role === 'owner' && wanted.role !== 'owner')) {
        await dropInvitesOf(tx, { kind: 'user', id });
      }
      return find(tx, [id, null], String(id));
    });
  }

  /**
   * Their sessions, roles, links of invites and what a provider calls them go with them. What they made stays: links know no user,
   * and of API keys and webhooks only the audit log says who made them.
   * @throws AppError `user-not-found`, `last-owner`
   */
  async remove(id: number): Promise<void> {
    await this.#change(async (tx) => {
      if ((await tx.query(DELETE_USER, [id])).length === 0) throw notFound(String(id));
    });
  }

  /**
   * Forgets who a provider says that the user is: the next one whose verified address is theirs is bound. What may be of the one before ends:
   * sessions, the password, the second factor, links for another password and those that they made.
   * @throws AppError `user-not-found`, `last-owner`
   */
  async unbind(id: number): Promise<void> {
    await this.#change(async (tx) => {
      // A sign-in under way notes itself in this row: it is over, and its session ends, or it finds nobody bound or another password.
      if ((await tx.query(FORGET_PASSWORD, [id, noPassword()])).length === 0) throw notFound(String(id));
      await tx.query(UNBIND, [id]);
      await this.secondFactors.remove(tx, id);
      await this.sessions.endAll(tx, id);
      await dropResets(tx, id);
      await dropInvitesOf(tx, { kind: 'user', id });
      await dropShareLinksOf(tx, id);
    });
  }

  /**
   * The one way to take anything from a user: one change after the other, and none that leaves no owner, or none who can sign
   * in. @throws AppError `last-owner`
   */
  async #change<T>(work: (tx: Queryable) => Promise<T>): Promise<T> {
    const result = await this.database.transaction(async (tx) => {
      await tx.query(ONE_AT_A_TIME);
      const before = await ownersIn(tx);
      const done = await work(tx);
      const after = await ownersIn(tx);
      if (before.enabled > 0 && after.enabled === 0) throw lastOwner('This is the last owner');
      if (before.canSignIn > 0 && after.canSignIn === 0) throw lastOwner('This is the last owner who can sign in');
      return done;
    });
    this.sessions.forget();
    return result;
  }

  async #create({ token, ...given }: Accepted, userAgent: string | null): Promise<{ id: number; session: string }> {
    const email = normalEmail(given.email ?? '');
    const name = given.name?.trim().normalize('NFC') ?? '';
    if (email === undefined) throw invalid('email', 'Give an email address: it is what you sign in with.');
    if (!NAME.test(name)) throw invalid('name', 'A name has 1 to 100 visible characters.');
    const hash = await this.passwords.hash(given.password, { email });
    return this.database.transaction(async (tx) => {
      await tx.query(ONE_AT_A_TIME);
      const { role, groups } = await takeInvite(tx, token);
      const [row] = await tx.query<{ id: number }>(INSERT_USER, [email, name, hash, role, USERS_AT_MOST]);
      if (row === undefined) throw await refusal(tx, email);
      await tx.query(INSERT_GROUP_ROLES, [row.id, JSON.stringify(groups)]);
      return { id: row.id, session: await this.sessions.begin(tx, row.id, { session: undefined, userAgent }) };
    });
  }

  async #setPassword(
    id: number,
    { token, password }: Accepted,
    userAgent: string | null,
  ): Promise<{ id: number; session: string }> {
    const user = await find(this.database, [id, null], String(id));
    const hash = await this.passwords.hash(password, user);
    return this.database.transaction(async (tx) => {
      // Before the link, as whoever disables the user: two that take them in another order would wait for each other.
      await tx.query(SET_PASSWORD, [id, hash]);
      await takeInvite(tx, token);
      await dropResets(tx, id);
      await this.secondFactors.remove(tx, id);
      await this.sessions.endAll(tx, id);
      return { id, session: await this.sessions.begin(tx, id, { session: undefined, userAgent }) };
    });
  }
}

/** As it is stored; undefined for what is none. */
export function normalEmail(text: string): string | undefined {
  const email = text.trim().normalize('NFC').toLowerCase();
  return EMAIL.test(email) ? email : undefined;
}

async function find(queryable: Queryable, by: [number | null, string | null], asked: string): Promise<UserRecord> {
  const [found] = await queryable.query<UserRecord>(LIST_USERS, [...by, 1, 0]);
  if (found === undefined) throw notFound(asked);
  return found;
}

function notFound(asked: string): AppError {
  return new AppError('user-not-found', `There is no user "${asked}".`);
}

async function ownersIn(tx: Queryable): Promise<{ enabled: number; canSignIn: number }> {
  const [owners] = await tx.query<{ enabled: number; canSignIn: number }>(OWNERS);
  return owners ?? { enabled: 0, canSignIn: 0 };
}

function lastOwner(who: string): AppError {
  return new AppError('last-owner', `${who}. Make another user an owner first.`);
}

async function refusal(tx: Queryable, email: string): Promise<AppError> {
  const [taken] = await tx.query('SELECT FROM users WHERE email = $1', [email]);
  if (taken !== undefined) return new AppError('user-conflict', 'There is an account with that email address.');
  return tooManyUsers();
}

export function tooManyUsers(): AppError {
  return new AppError('too-many-users', `There are ${USERS_AT_MOST} users, which is as many as there may be.`);
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
