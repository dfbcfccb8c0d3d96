import { USER_ROLES } from '@hopcount/contracts';
import { type Database, loadSql, type Queryable } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import type { Passwords } from './passwords.js';
import type { Roles } from './roles.js';
import type { SecondFactors } from './second-factors.js';
import type { Sessions } from './sessions.js';
import { hashToken, makeToken } from './token.js';

const LIST_USERS = loadSql(import.meta.url, 'sql/list-users.sql');
const INSERT_USER = loadSql(import.meta.url, 'sql/insert-user.sql');
const INSERT_INVITE = loadSql(import.meta.url, 'sql/insert-invite.sql');
const TAKE_INVITE = loadSql(import.meta.url, 'sql/take-invite.sql');
const INSERT_GROUP_ROLES = loadSql(import.meta.url, 'sql/insert-group-roles.sql');
const COUNT_USERS = 'SELECT count(*)::integer AS number FROM users';
const DROP_INVITES = 'DELETE FROM invites WHERE expires_at <= now() OR user_id = $1 OR ($2 AND only_first)';
/** Two who take a first owner's link at once: the second finds an account. */
const ONE_AT_A_TIME = 'LOCK TABLE users IN SHARE ROW EXCLUSIVE MODE';
const SET_PASSWORD = 'UPDATE users SET password_hash = $2, last_sign_in_at = now() WHERE id = $1';
const EDIT_USER = `UPDATE users SET enabled = coalesce($2, enabled), role = CASE WHEN $3 THEN $4 ELSE role END WHERE id = $1
  RETURNING id`;
const HAS_OWNER = `SELECT FROM users WHERE role = 'owner' AND enabled LIMIT 1`;

const USERS_AT_MOST = 10_000;
const INVITES_AT_MOST = 1_000;
const GROUPS_AT_MOST = 100;
const INVITE_SECONDS = 7 * 86_400;
const RESET_SECONDS = 86_400;
const EMAIL = /^[^\s@\p{C}]{1,64}@[^\s@\p{C}]{1,190}$/u;
const NAME = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,100}$/u;

export interface UserRecord extends Roles {
  id: number;
  email: string;
  name: string;
  enabled: boolean;
  createdAt: Date;
  lastSignInAt: Date | null;
  /** Whether signing in takes a code. */
  secondFactor: boolean;
}

/** The token of a link that is used once; only its hash is kept. */
export interface IssuedInvite {
  token: string;
  expiresAt: Date;
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
   * A link that makes an account with these roles.
   * @param onlyFirst of the first owner: none is made once there is an account, and the link is worth nothing from then on
   * @throws AppError `invalid-data`, `too-many-users`, `user-conflict`
   */
  async invite({ role, groups, onlyFirst = false }: Roles & { onlyFirst?: boolean }): Promise<IssuedInvite> {
    return this.database.transaction(async (tx) => {
      const wanted = await checkRoles(tx, { role, groups });
      if (onlyFirst && (await tx.query('SELECT FROM users LIMIT 1')).length > 0) {
        throw new AppError('user-conflict', 'There is an account already: its owner invites others.');
      }
      return issue(tx, { userId: null, ...wanted, onlyFirst }, INVITE_SECONDS);
    });
  }

  /** A link that gives a user another password; used, it ends their sessions and removes their second factor. @throws AppError `user-not-found` */
  async reset(id: number): Promise<IssuedInvite> {
    return this.database.transaction(async (tx) => {
      await find(tx, [id, null], String(id));
      return issue(tx, { userId: id, role: null, groups: {}, onlyFirst: false }, RESET_SECONDS);
    });
  }

  /**
   * Takes a link: makes its account, or gives its user the password; and signs in.
   * @returns what the cookie holds
   * @throws AppError `invite-not-found`, `invalid-data`, `user-conflict`, `too-many-users`
   */
  async accept({ token, email, name, password }: Accepted): Promise<{ id: number; session: string }> {
    const accepted = await this.database.transaction(async (tx) => {
      await tx.query(ONE_AT_A_TIME);
      const [invite] = await tx.query<{ userId: number | null } & Roles>(TAKE_INVITE, [hashToken(token)]);
      if (invite === undefined) {
        throw new AppError('invite-not-found', 'The link was used, has ended, or never was one: ask for another.');
      }
      const id = invite.userId ?? (await this.#create(tx, { email, name, password }, invite));
      if (invite.userId !== null) {
        const user = await find(tx, [id, null], String(id));
        await tx.query(SET_PASSWORD, [id, await this.passwords.hash(password, user)]);
        await this.secondFactors.remove(tx, id);
        await this.sessions.endAll(tx, id);
      }
      return { id, session: await this.sessions.begin(tx, id) };
    });
    this.sessions.forget();
    return accepted;
  }

  /** @throws AppError `user-not-found`, `invalid-data`, `last-owner` */
  async edit(id: number, edit: { enabled?: boolean | undefined } & Partial<Roles>): Promise<UserRecord> {
    const edited = await this.database.transaction(async (tx) => {
      await tx.query(ONE_AT_A_TIME);
      const before = await find(tx, [id, null], String(id));
      const { role = before.role, groups = before.groups } = edit;
      const hasRoles = edit.role !== undefined || edit.groups !== undefined;
      const wanted = hasRoles ? await checkRoles(tx, { role, groups }) : before;
      await tx.query(EDIT_USER, [id, edit.enabled ?? null, edit.role !== undefined, wanted.role]);
      if (edit.groups !== undefined) {
        await tx.query('DELETE FROM group_roles WHERE user_id = $1', [id]);
        await tx.query(INSERT_GROUP_ROLES, [id, JSON.stringify(wanted.groups)]);
      }
      if (edit.enabled === false) await this.sessions.endAll(tx, id);
      if (before.role === 'owner' && (await tx.query(HAS_OWNER)).length === 0) {
        throw new AppError('last-owner', 'This is the last owner: make another one first.');
      }
      return find(tx, [id, null], String(id));
    });
    this.sessions.forget();
    return edited;
  }

  async #create(tx: Queryable, given: Omit<Accepted, 'token'>, { role, groups }: Roles): Promise<number> {
    const email = normalEmail(given.email ?? '');
    const name = given.name?.trim().normalize('NFC') ?? '';
    if (email === undefined) throw invalid('email', 'Give an email address: it is what you sign in with.');
    if (!NAME.test(name)) throw invalid('name', 'A name has 1 to 100 visible characters.');
    const values = [email, name, await this.passwords.hash(given.password, { email }), role, USERS_AT_MOST];
    const [row] = await tx.query<{ id: number }>(INSERT_USER, values);
    if (row === undefined) throw await refusal(tx, email);
    await tx.query(INSERT_GROUP_ROLES, [row.id, JSON.stringify(groups)]);
    return row.id;
  }
}

/** As it is stored; undefined for what is none. */
export function normalEmail(text: string): string | undefined {
  const email = text.trim().normalize('NFC').toLowerCase();
  return EMAIL.test(email) ? email : undefined;
}

async function issue(
  tx: Queryable,
  { userId, role, groups, onlyFirst }: Roles & { userId: number | null; onlyFirst: boolean },
  seconds: number,
): Promise<IssuedInvite> {
  const { token, hash } = makeToken();
  await tx.query(DROP_INVITES, [userId, onlyFirst]);
  const values = [hash, userId, role, JSON.stringify(groups), onlyFirst, seconds, INVITES_AT_MOST];
  const [row] = await tx.query<{ expiresAt: Date }>(INSERT_INVITE, values);
  if (row !== undefined) return { token, ...row };
  throw new AppError('too-many-users', `There are ${INVITES_AT_MOST} open invites, which is as many as there may be.`);
}

/** Roles of groups that are there. @throws AppError `invalid-data` */
async function checkRoles(tx: Queryable, { role, groups }: Roles): Promise<Roles> {
  const ids = Object.keys(groups);
  if (role === null && ids.length === 0) throw invalid('role', 'Somebody without a role sees nothing: name one.');
  if (ids.length > GROUPS_AT_MOST) throw invalid('groups', `A user has roles in ${GROUPS_AT_MOST} groups at most.`);
  if (!Object.values(groups).every((one) => USER_ROLES.includes(one))) {
    throw invalid('groups', `A role is one of ${USER_ROLES.join(', ')}.`);
  }
  const found = await tx.query('SELECT FROM groups WHERE id = ANY ($1::text[])', [ids.filter(isStorable)]);
  if (found.length < ids.length) throw invalid('groups', 'There is no group of one of these ids.');
  return { role, groups };
}

function isStorable(id: string): boolean {
  return !id.includes('\u0000');
}

async function find(queryable: Queryable, by: [number | null, string | null], asked: string): Promise<UserRecord> {
  const [found] = await queryable.query<UserRecord>(LIST_USERS, [...by, 1, 0]);
  if (found !== undefined) return found;
  throw new AppError('user-not-found', `There is no user "${asked}".`);
}

async function refusal(tx: Queryable, email: string): Promise<AppError> {
  const [taken] = await tx.query('SELECT FROM users WHERE email = $1', [email]);
  if (taken !== undefined) return new AppError('user-conflict', 'There is an account with that email address.');
  return new AppError('too-many-users', `There are ${USERS_AT_MOST} users, which is as many as there may be.`);
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
