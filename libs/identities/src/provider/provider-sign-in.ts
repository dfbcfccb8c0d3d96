import type { Database, Queryable } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { dropResets } from '../users/invites.js';
import { noPassword } from '../users/passwords.js';
import type { Browser, Sessions } from '../users/sessions.js';
import {
  HAS_OWNER,
  INSERT_USER,
  NAME,
  normalEmail,
  ONE_AT_A_TIME,
  tooManyUsers,
  USERS_AT_MOST,
} from '../users/users.js';
import type { OpenIdProvider, ProviderFlow, ProviderPerson } from './openid-provider.js';

const FIND_BOUND = `SELECT user_id AS id FROM provider_identities WHERE issuer = $1 AND subject = $2`;
const FIND_BY_EMAIL = 'SELECT id FROM users WHERE email = $1 FOR NO KEY UPDATE';
const BIND = `INSERT INTO provider_identities (issuer, subject, user_id) VALUES ($1, $2, $3)
  ON CONFLICT (user_id, issuer) DO NOTHING RETURNING user_id`;
const NOTE_SIGN_IN = 'UPDATE users SET last_sign_in_at = now() WHERE id = $1 AND enabled RETURNING id';
/** Other letters have small ones that are of this alphabet: of the Kelvin sign it is the k. */
const ASCII = /^[\x21-\x7e]+$/;

interface Newcomer {
  email: string;
  name: string;
  /** Absent: no account is made. */
  account?: { role: 'viewer' | 'member'; passwordHash: string };
}

/** From what a provider says of somebody to a session. */
export class ProviderSignIn {
  constructor(
    private readonly database: Database,
    private readonly sessions: Sessions,
    private readonly provider: OpenIdProvider,
  ) {}

  /** @throws AppError `no-provider` */
  expectProvider(): void {
    this.provider.expectSettings();
  }

  /** See OpenIdProvider. */
  begin(): ReturnType<OpenIdProvider['begin']> {
    return this.provider.begin();
  }

  /**
   * A new session, as of SignIn. Who has not come before is known by a verified email address; from then on by issuer and subject.
   * @throws AppError as `OpenIdProvider.finish`; `not-admitted`, `too-many-users`
   */
  async finish(
    flow: ProviderFlow,
    search: string,
    browser: Browser | undefined,
  ): Promise<{ id: number; session: string }> {
    const person = await this.provider.finish(flow, search);
    const bound = await find(this.database, person);
    const newcomer = bound === undefined ? await this.#newcomer(person) : undefined;
    const signedIn = await this.database.transaction(async (tx) => {
      const id = newcomer === undefined ? (bound ?? 0) : await this.#bind(tx, person, newcomer);
      if ((await tx.query(NOTE_SIGN_IN, [id])).length === 0) throw unknown();
      // It was looked up before the user's row was held: meanwhile an owner may have unbound it.
      if ((await find(tx, person)) !== id) throw unknown();
      return { id, session: await this.sessions.begin(tx, id, browser) };
    });
    // Only then may a session have ended; else every sign-in would have all others' looked for again.
    if (browser?.session !== undefined || newcomer !== undefined) this.sessions.forget();
    return signedIn;
  }

  async #newcomer(person: ProviderPerson): Promise<Newcomer> {
    const profile = await person.profile();
    if (profile.email === undefined) {
      throw new AppError('not-admitted', 'The provider does not say that it has verified your email address.');
    }
    const email = ASCII.test(profile.email) ? normalEmail(profile.email) : undefined;
    if (email === undefined) throw unknown();
    const [localPart = '', domain = ''] = email.split('@');
    const given = profile.name?.trim().normalize('NFC') ?? '';
    const name = NAME.test(given) ? given : localPart;
    const { newcomers = null } = this.provider.settings ?? {};
    if (newcomers === null || !newcomers.domains.includes(domain)) return { email, name };
    // Who wants a password as well is given a link for one.
    return { email, name, account: { role: newcomers.role, passwordHash: noPassword() } };
  }

  /** @returns whose account it is from now on */
  async #bind(tx: Queryable, person: ProviderPerson, newcomer: Newcomer): Promise<number> {
    await tx.query(ONE_AT_A_TIME);
    const meanwhile = await find(tx, person);
    if (meanwhile !== undefined) return meanwhile;
    const [known] = await tx.query<{ id: number }>(FIND_BY_EMAIL, [newcomer.email]);
    const id = known?.id ?? (await create(tx, newcomer));
    // Whoever is signed in with its password, or has a link for another one, may be somebody else.
    if (known !== undefined) await this.sessions.endAll(tx, id);
    if (known !== undefined) await dropResets(tx, id);
    if ((await tx.query(BIND, [person.issuer, person.subject, id])).length > 0) return id;
    throw new AppError(
      'not-admitted',
      'The account with your email address is of somebody whom the provider calls by another number: ask an owner.',
    );
  }
}

async function find(queryable: Queryable, { issuer, subject }: ProviderPerson): Promise<number | undefined> {
  const [bound] = await queryable.query<{ id: number }>(FIND_BOUND, [issuer, subject]);
  return bound?.id;
}

async function create(tx: Queryable, { email, name, account }: Newcomer): Promise<number> {
  // The first account is its owner's, whose link is worth nothing once there is another one.
  if (account === undefined || (await tx.query(HAS_OWNER)).length === 0) throw unknown();
  const values = [email, name, account.passwordHash, account.role, USERS_AT_MOST];
  const [row] = await tx.query<{ id: number }>(INSERT_USER, values);
  if (row === undefined) throw tooManyUsers();
  return row.id;
}

/** The same of somebody unknown and of a disabled account. */
function unknown(): AppError {
  return new AppError('not-admitted', 'There is no account for you here: ask an owner for an invite.');
}
