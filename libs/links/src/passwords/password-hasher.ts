import { AppError, hashPassword } from '@hopcount/runtime';

import { Turns } from './turns.js';

/** Gateways slow down who guesses; a stolen database is slowed down by argon2id alone. */
const SHORTEST = 8;
/** More is work for nobody's good; no form takes more. */
export const LONGEST_PASSWORD = 128;
/** 40 ms of two cores. */
const AT_ONCE = 2;
/** A second's worth. */
const MAY_WAIT = 50;

/** Half a character, which no form can send, and line breaks and their like, which browsers leave out. */
const UNTYPABLE = /[\p{Cs}\p{Cc}]/u;

/** What is hashed, and compared with a hash: however a keyboard put its letters together. */
export function normalPassword(text: string): string {
  return text.normalize('NFC');
}

/** Passwords that owners give their links. Nothing waits for it but the request itself. */
export class PasswordHasher {
  readonly #turns = new Turns(AT_ONCE, MAY_WAIT);

  /** @throws AppError `invalid-data`, `passwords-busy` */
  hash(password: string): Promise<string> {
    const text = normalPassword(password);
    if (text.length < SHORTEST || text.length > LONGEST_PASSWORD || UNTYPABLE.test(text)) {
      const message = `A password has ${SHORTEST} to ${LONGEST_PASSWORD} characters, and no line break or other control character.`;
      throw new AppError('invalid-data', message, { details: { invalidElements: ['password'] } });
    }
    return this.#turns.take(() => hashPassword(text));
  }
}
