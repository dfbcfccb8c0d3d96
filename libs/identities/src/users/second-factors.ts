import { randomBytes } from 'node:crypto';

import { type Database, loadSql, type Queryable } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';
import { Secret, TOTP } from 'otpauth';

import type { Sealer } from './sealer.js';
import { hashToken } from './token.js';

const FIND = `SELECT email, totp_secret AS sealed, totp_confirmed AS "isConfirmed",
    coalesce(codes_refused_until > now(), false) AS "isRefused"
  FROM users WHERE id = $1 FOR NO KEY UPDATE`;
const BEGIN = 'UPDATE users SET totp_secret = $2, totp_confirmed = false, totp_last_step = 0 WHERE id = $1';
const RESEAL = 'UPDATE users SET totp_secret = $2 WHERE id = $1';
/** A code is taken once, and none from before it. */
const TAKE_STEP = 'UPDATE users SET totp_last_step = $2 WHERE id = $1 AND totp_last_step < $2 RETURNING id';
const CONFIRM = 'UPDATE users SET totp_confirmed = true WHERE id = $1';
const KEEP_CODES = 'INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])';
const TAKE_CODE = 'DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2 RETURNING user_id';
const COUNT_WRONG = loadSql(import.meta.url, 'sql/count-wrong-code.sql');
const FORGIVE = `WITH codes AS (DELETE FROM wrong_codes WHERE user_id = $1)
  UPDATE users SET codes_refused_until = NULL WHERE id = $1 AND codes_refused_until IS NOT NULL`;
const DROP = `WITH codes AS (DELETE FROM recovery_codes WHERE user_id = $1), wrong AS (DELETE FROM wrong_codes WHERE user_id = $1)
  UPDATE users SET totp_secret = NULL, totp_confirmed = false, codes_refused_until = NULL WHERE id = $1`;

const STEP_SECONDS = 30;
/** Clocks may differ by so many steps. */
const STEPS_AROUND = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** Three codes are right at a time: with ten tries, then one an hour, one in 14,000 days hits. Recovery codes cannot be guessed, and always work. */
const WRONG_AT_MOST = 10;
const APP_CODE = /^\d{6}$/;

interface Factor {
  email: string;
  sealed: Buffer | null;
  isConfirmed: boolean;
  isRefused: boolean;
}

/** One-time codes of an app (TOTP, RFC 6238), and recovery codes for when the app is gone; each is taken once. */
export class SecondFactors {
  constructor(
    private readonly database: Database,
    private readonly sealer: Sealer,
    private readonly nowMs: () => number = Date.now,
  ) {}

  /** A secret for the app; it counts once it is confirmed. @throws AppError `second-factor-exists` */
  async begin(userId: number): Promise<{ secret: string; uri: string }> {
    return this.database.transaction(async (tx) => {
      const { email, isConfirmed } = await find(tx, userId);
      if (isConfirmed) throw new AppError('second-factor-exists', 'There is a second factor: remove it first.');
      const content = randomBytes(SECRET_BYTES);
      await tx.query(BEGIN, [userId, this.sealer.seal(content, userId)]);
      const totp = totpOf(content, email);
      return { secret: totp.secret.base32, uri: totp.toString() };
    });
  }

  /** From now on it is asked for. @returns recovery codes, which are shown this once. @throws AppError `invalid-data` */
  async confirm(tx: Queryable, userId: number, code: string): Promise<string[]> {
    const factor = await find(tx, userId);
    if (factor.isConfirmed) throw new AppError('second-factor-exists', 'There is a second factor already.');
    if (!(await this.#takesStep(tx, userId, factor, code))) {
      throw new AppError('invalid-data', 'The code is none of the secret that was shown last.', {
        details: { invalidElements: ['code'] },
      });
    }
    const codes = Array.from({ length: RECOVERY_CODES }, makeRecoveryCode);
    await tx.query(CONFIRM, [userId]);
    await tx.query(KEEP_CODES, [userId, codes.map((text) => hashToken(normalCode(text)))]);
    return codes;
  }

  /**
   * In the transaction of a sign-in, which commits also when the code is wrong, so that it counts.
   * @returns whether it is right, or none is asked for
   * @throws AppError `second-factor-required`, `too-many-codes`
   */
  async takes(tx: Queryable, userId: number, code: string | undefined): Promise<boolean> {
    const factor = await find(tx, userId);
    if (!factor.isConfirmed) return true;
    if (code === undefined) {
      throw new AppError('second-factor-required', 'Send the code of your app as well, or a recovery code.');
    }
    const isOfApp = APP_CODE.test(code.trim());
    if (isOfApp && factor.isRefused) {
      throw new AppError('too-many-codes', 'Too many codes were wrong: use a recovery code, or wait for an hour.');
    }
    const isRight = isOfApp
      ? await this.#takesStep(tx, userId, factor, code)
      : (await tx.query(TAKE_CODE, [userId, hashToken(normalCode(code))])).length > 0;
    if (isRight) await tx.query(FORGIVE, [userId]);
    else if (isOfApp) await tx.query(COUNT_WRONG, [userId, WRONG_AT_MOST]);
    return isRight;
  }

  /** With its recovery codes. */
  async remove(tx: Queryable, userId: number): Promise<void> {
    await tx.query(DROP, [userId]);
  }

  async #takesStep(tx: Queryable, userId: number, { sealed, email }: Factor, code: string): Promise<boolean> {
    const opened = sealed === null ? undefined : this.sealer.open(sealed, userId);
    if (opened === undefined || !APP_CODE.test(code.trim())) return false;
    const nowMs = this.nowMs();
    const totp = totpOf(opened.content, email);
    const delta = totp.validate({ token: code.trim(), timestamp: nowMs, window: STEPS_AROUND });
    if (delta === null) return false;
    const step = Math.floor(nowMs / 1_000 / STEP_SECONDS) + delta;
    // Sealed with the secret that is being replaced.
    if (!opened.isOfFirst) await tx.query(RESEAL, [userId, this.sealer.seal(opened.content, userId)]);
    return (await tx.query(TAKE_STEP, [userId, step])).length > 0;
  }
}

async function find(tx: Queryable, userId: number): Promise<Factor> {
  const [factor] = await tx.query<Factor>(FIND, [userId]);
  if (factor === undefined) throw new AppError('user-not-found', `There is no user "${userId}".`);
  return factor;
}

function totpOf(content: Buffer, email: string): TOTP {
  const secret = new Secret({ buffer: new Uint8Array(content).buffer });
  return new TOTP({ issuer: 'Hopcount', label: email, secret, digits: 6, period: STEP_SECONDS });
}

/** 80 random bits, in groups that can be copied by hand. */
function makeRecoveryCode(): string {
  return (randomBytes(10).toString('hex').match(/.{5}/g) ?? []).join('-');
}

function normalCode(text: string): string {
  return text.toLowerCase().replace(/[\s-]/g, '');
}
