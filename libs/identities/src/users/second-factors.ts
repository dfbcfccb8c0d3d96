import { randomBytes } from 'node:crypto';

import type { Database, Queryable } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';
import { Secret, TOTP } from 'otpauth';

import type { Sealer } from './sealer.js';
import { hashToken } from './token.js';

const FIND = `SELECT email, totp_secret AS sealed, totp_confirmed AS "isConfirmed" FROM users WHERE id = $1 FOR NO KEY UPDATE`;
const BEGIN = 'UPDATE users SET totp_secret = $2, totp_confirmed = false, totp_last_step = 0 WHERE id = $1';
const RESEAL = 'UPDATE users SET totp_secret = $2 WHERE id = $1';
/** A code is taken once, and none from before it. */
const TAKE_STEP = 'UPDATE users SET totp_last_step = $2 WHERE id = $1 AND totp_last_step < $2 RETURNING id';
const CONFIRM = 'UPDATE users SET totp_confirmed = true WHERE id = $1';
const KEEP_CODES = 'INSERT INTO recovery_codes (user_id, code_hash) SELECT $1, unnest($2::bytea[])';
const TAKE_CODE = 'DELETE FROM recovery_codes WHERE user_id = $1 AND code_hash = $2 RETURNING user_id';
const DROP = `WITH codes AS (DELETE FROM recovery_codes WHERE user_id = $1)
  UPDATE users SET totp_secret = NULL, totp_confirmed = false WHERE id = $1`;

const STEP_SECONDS = 30;
/** Clocks may differ by so many steps. */
const STEPS_AROUND = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;

interface Factor {
  email: string;
  sealed: Buffer | null;
  isConfirmed: boolean;
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

  /** In the transaction of a sign-in. @throws AppError `second-factor-required`, `invalid-credentials` */
  async expect(tx: Queryable, userId: number, code: string | undefined): Promise<void> {
    const factor = await find(tx, userId);
    if (!factor.isConfirmed) return;
    if (code === undefined) {
      throw new AppError('second-factor-required', 'Send the code of your app as well, or a recovery code.');
    }
    if (await this.#takesStep(tx, userId, factor, code)) return;
    if ((await tx.query(TAKE_CODE, [userId, hashToken(normalCode(code))])).length > 0) return;
    throw new AppError('invalid-credentials', 'The code is wrong, or was used before.');
  }

  /** With its recovery codes. */
  async remove(tx: Queryable, userId: number): Promise<void> {
    await tx.query(DROP, [userId]);
  }

  async #takesStep(tx: Queryable, userId: number, { sealed, email }: Factor, code: string): Promise<boolean> {
    const opened = sealed === null ? undefined : this.sealer.open(sealed, userId);
    if (opened === undefined || !/^\d{6}$/.test(code.trim())) return false;
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
