import { randomBytes } from 'node:crypto';

import { AppError, hashPassword, isPasswordOf } from '@hopcount/runtime';

const SHORTEST = 12;
/** More is work for nobody's good. */
const LONGEST = 256;

/** Under way in a process, beyond which nobody waits: more would only take longer, and 19 MB each. */
const AT_ONCE = 8;

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

  /** Of a password that nobody knows. @throws AppError `sign-in-unavailable` */
  async hashOfUnknown(): Promise<string> {
    return this.#oneOfFew(() => hashPassword(randomBytes(32).toString('base64url')));
  }

  /** The same work whether there is a hash to compare with or not. @throws AppError `sign-in-unavailable` */
  async matches(password: string, known: string | undefined): Promise<boolean> {
    const text = password.normalize('NFC').slice(0, LONGEST + 1);
    return this.#oneOfFew(async () => {
      this.#nobodys ??= hashPassword('the password of nobody');
      const isRight = await this.check(known ?? (await this.#nobodys), text);
      return known !== undefined && isRight;
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
