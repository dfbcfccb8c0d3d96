import { AppError } from '@hopcount/runtime';

import type { Snowflakes } from '../ids/snowflake.js';
import { foldCode } from './fold-code.js';
import { MAX_CODE_LENGTH, MAX_PREFIX_LENGTH } from './custom-slug.js';
import { isProfane } from './profanity.js';
import {
  LOOSE_CODE_ALPHABET,
  MOST_COLLISIONS,
  RANDOM_CODE_ALPHABET,
  RANDOM_CODE_LENGTH,
  randomCode,
} from './random-code.js';
import { isReservedSlug } from './reserved-slugs.js';
import { SnowflakeCodes } from './snowflake-code.js';

export type CodeStrategy = 'random' | 'snowflake';

/** From this collision on the codes drawn for one link grow. */
const COLLISIONS_BEFORE_LONGER = 3;
/** So many draws together tell how likely a collision is. */
const DRAWS_JUDGED = 1_000;
/** So many collisions in a row are a defect: the last codes are ten characters longer than asked for. */
export const CODE_ATTEMPTS = 12;

/** What the creator of a link asked of its code. */
export interface WantedCode {
  /** Taken as it is; null: a generated code. */
  custom: string | null;
  /** Before a generated code; '' for none. */
  prefix: string;
  /** Of the generated part; null: as the strategy makes them. */
  length: number | null;
}

export interface LinkCodesOptions {
  codeStrategy: CodeStrategy;
  /** Key of the snowflake codes. */
  secret: string;
  /** No two links of a domain may differ in the case of letters only; random codes have no upper case letters. */
  looseCodes?: boolean;
  /** Replaces the random codes in tests. */
  makeRandomCode?: (length: number, alphabet: string) => string;
}

/** Draws a link's id and code. */
export class LinkCodes {
  readonly #snowflakeCodes: SnowflakeCodes;
  /** Of random codes for which no length is asked; a process begins with the shortest and finds out. */
  #length = RANDOM_CODE_LENGTH;
  #draws = { all: 0, collided: 0 };

  constructor(
    private readonly snowflakes: Snowflakes,
    private readonly options: LinkCodesOptions,
  ) {
    this.#snowflakeCodes = new SnowflakeCodes(options.secret);
  }

  get areLoose(): boolean {
    return this.options.looseCodes === true;
  }

  /** Equal for codes that this installation takes for the same one. */
  identityOf(code: string): string {
    return this.areLoose ? foldCode(code) : code;
  }

  /** @param collisions how many codes drawn for it were taken. @throws AppError `worker-lease-lost` (retryable) */
  draw(wanted: WantedCode, collisions: number): { id: string; code: string } {
    for (;;) {
      const id = this.snowflakes.next();
      const code = wanted.custom ?? wanted.prefix + this.#generate(id, wanted.length, collisions);
      if (wanted.custom !== null || !isUnwanted(wanted.prefix, code)) return { id: id.toString(), code };
    }
  }

  #generate(id: bigint, length: number | null, collisions: number): string {
    // A length can only be asked of random codes: a snowflake's follows from its id.
    if (length === null && this.options.codeStrategy === 'snowflake') return this.#snowflakeCodes.encode(id);
    if (length === null) this.#judge(collisions > 0);
    const extra = Math.max(0, collisions - COLLISIONS_BEFORE_LONGER + 1);
    const alphabet = this.areLoose ? LOOSE_CODE_ALPHABET : RANDOM_CODE_ALPHABET;
    return (this.options.makeRandomCode ?? randomCode)((length ?? this.#length) + extra, alphabet);
  }

  /** Each second draw for a link says that the first one collided. */
  #judge(hasCollided: boolean): void {
    this.#draws.all += 1;
    if (hasCollided) this.#draws.collided += 1;
    if (this.#draws.all < DRAWS_JUDGED) return;
    if (this.#draws.collided > MOST_COLLISIONS * DRAWS_JUDGED) this.#length += 1;
    this.#draws = { all: 0, collided: 0 };
  }
}

/** `gra` and what is drawn may make `graphql`; what its owner put in front is no reason to refuse every code. */
function isUnwanted(prefix: string, code: string): boolean {
  if (prefix !== '' && isReservedSlug(code)) return true;
  return isProfane(isProfane(prefix) ? code.slice(prefix.length) : code);
}

const MIN_RANDOM_LENGTH = 4;
const MAX_RANDOM_LENGTH = MAX_CODE_LENGTH - MAX_PREFIX_LENGTH - CODE_ATTEMPTS;

/** @throws AppError `invalid-data` */
export function parseCodeLength(length: number | null): number | null {
  if (length === null || (length >= MIN_RANDOM_LENGTH && length <= MAX_RANDOM_LENGTH)) return length;
  throw new AppError('invalid-data', `A code has ${MIN_RANDOM_LENGTH} to ${MAX_RANDOM_LENGTH} characters.`, {
    details: { invalidElements: ['shortCodeLength'] },
  });
}
