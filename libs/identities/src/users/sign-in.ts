import type { Database } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { dropResets } from './invites.js';
import type { Passwords } from './passwords.js';
import type { SecondFactors } from './second-factors.js';
import type { Browser, Sessions, UserIdentity } from './sessions.js';
import { normalEmail } from './users.js';

const FIND_ACCOUNT = `SELECT id, email, password_hash AS "passwordHash" FROM users
  WHERE enabled AND (email = $1 OR id = $2::integer)`;
/** Only while the password that was right is the password: a change of it ends what the old one began. */
const HOLD_ACCOUNT = 'SELECT FROM users WHERE id = $1 AND enabled AND password_hash = $2 FOR NO KEY UPDATE';
const NOTE_SIGN_IN = 'UPDATE users SET last_sign_in_at = now() WHERE id = $1';
const SET_PASSWORD = `UPDATE users SET password_hash = $3 WHERE id = $1 AND enabled AND password_hash = $2 RETURNING id`;

interface Account {
  id: number;
  email: string;
  passwordHash: string;
}

/** From a password to a session. */
export class SignIn {
  constructor(
    private readonly database: Database,
    private readonly sessions: Sessions,
    private readonly passwords: Passwords,
    private readonly secondFactors: SecondFactors,
  ) {}

  /**
   * A new session; one that the browser had before ends.
   * @returns what the cookie holds
   * @throws AppError `invalid-credentials`: the same, after the same work, whether there is the account or not;
   * `second-factor-required`, `too-many-codes`
   */
  async signIn(
    { email, password, code }: { email: string; password: string; code?: string | undefined },
    browser: Browser | undefined,
  ): Promise<{ id: number; session: string }> {
    const [account] = await this.database.query<Account>(FIND_ACCOUNT, [normalEmail(email) ?? '', null]);
    const { id, passwordHash } = await this.#expect(account, password);
    const session = await this.database.transaction(async (tx) => {
      if ((await tx.query(HOLD_ACCOUNT, [id, passwordHash])).length === 0) throw wrong();
      if (!(await this.secondFactors.takes(tx, id, code))) return undefined;
      await tx.query(NOTE_SIGN_IN, [id]);
      return this.sessions.begin(tx, id, browser);
    });
    if (session === undefined) throw wrongCode();
    if (browser?.session !== undefined) this.sessions.forget();
    return { id, session };
  }

  /** Ends all other sessions of the user, and links for another password. @throws AppError `invalid-credentials`, `invalid-data` */
  async changePassword({ id, hash }: UserIdentity, password: string, newPassword: string): Promise<void> {
    const [found] = await this.database.query<Account>(FIND_ACCOUNT, [null, id]);
    const account = await this.#expect(found, password);
    const newHash = await this.passwords.hash(newPassword, { ...account, field: 'newPassword' });
    await this.database.transaction(async (tx) => {
      if ((await tx.query(SET_PASSWORD, [id, account.passwordHash, newHash])).length === 0) throw wrong();
      await this.sessions.endAll(tx, id, hash);
      await dropResets(tx, id);
    });
    this.sessions.forget();
  }

  /** A secret for an app of the user; see SecondFactors. @throws AppError `invalid-credentials`, `second-factor-exists` */
  async beginSecondFactor({ id }: UserIdentity, password: string): Promise<{ secret: string; uri: string }> {
    const [account] = await this.database.query<Account>(FIND_ACCOUNT, [null, id]);
    await this.#expect(account, password);
    return this.secondFactors.begin(id);
  }

  /** See SecondFactors; ends all other sessions of the user, which never gave a code. */
  async confirmSecondFactor({ id, hash }: UserIdentity, code: string): Promise<string[]> {
    const codes = await this.database.transaction(async (tx) => {
      const made = await this.secondFactors.confirm(tx, id, code);
      await this.sessions.endAll(tx, id, hash);
      return made;
    });
    this.sessions.forget();
    return codes;
  }

  /** @throws AppError `invalid-credentials`, `second-factor-required`, `too-many-codes` */
  async removeSecondFactor({ id }: UserIdentity, password: string, code: string | undefined): Promise<void> {
    const [account] = await this.database.query<Account>(FIND_ACCOUNT, [null, id]);
    await this.#expect(account, password);
    const isRight = await this.database.transaction(async (tx) => {
      if (!(await this.secondFactors.takes(tx, id, code))) return false;
      await this.secondFactors.remove(tx, id);
      return true;
    });
    if (!isRight) throw wrongCode();
  }

  async #expect(account: Account | undefined, password: string): Promise<Account> {
    const isRight = await this.passwords.matches(password, account?.passwordHash);
    if (account === undefined || !isRight) throw wrong();
    return account;
  }
}

function wrong(): AppError {
  return new AppError('invalid-credentials', 'The email address or the password is wrong.');
}

function wrongCode(): AppError {
  return new AppError('invalid-credentials', 'The code is wrong, or was used before.');
}
