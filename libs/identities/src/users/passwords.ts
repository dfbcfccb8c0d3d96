import { randomBytes } from 'node:crypto';

import { AppError, hashPassword, isPasswordOf } from '@hopcount/runtime';

const SHORTEST = 12;
/** More is work for nobody's good. */
const LONGEST = 256;

/** Under way in a process, beyond which nobody waits: more would only take longer, and 19 MB each. */
const AT_ONCE = 8;

/** What begins so is kept instead of a hash: no password is right. */
export const NO_PASSWORD = '!';

/** Of an account without a password; another text each time, so that a sign-in under way sees that the password has changed. */
export function noPassword(): string {
  return NO_PASSWORD + randomBytes(32).toString('base64url');
}

/** Of users. */
export class Passwords {
  #nobodys: Promise<string> | undefined;
  #underWay = 0;

  constructor(private readonly check: typeof isPasswordOf = isPasswordOf) {}

  /** @throws AppError `invalid-data`, of the field; `sign-in-unavailable` */
  async hash(password: string, { email, field = 'password' }: { email: string; field?: string }): Promise<string> {
    const text = password.normalize('NFC');
    if (text.length < SHORTEST || text.length > LONGEST) {
      throw invalid(field, `A password has ${SHORTEST} to ${LONGEST} characters.`);
    }
    if (text.toLowerCase().includes(email)) throw invalid(field, 'The email address is no part of a good password.');
    return this.#oneOfFew(() => hashPassword(text));
  }

  /** The same work whether there is a hash to compare with or not. @throws AppError `sign-in-unavailable` */
  async matches(password: string, known: string | undefined): Promise<boolean> {
    const text = password.normalize('NFC').slice(0, LONGEST + 1);
    return this.#oneOfFew(async () => {
      this.#nobodys ??= hashPassword('the password of nobody');
      const hash = known?.startsWith(NO_PASSWORD) === true ? undefined : known;
      const isRight = await this.check(hash ?? (await this.#nobodys), text);
      return hash !== undefined && isRight;
    });
  }

  async #oneOfFew<T>(work: () => Promise<T>): Promise<T> {
    if (this.#underWay >= AT_ONCE) {
      throw new AppError('sign-in-unavailable', 'Too many passwords are being checked: try again in a moment.', {
        retryable: true,
      });
    }
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
