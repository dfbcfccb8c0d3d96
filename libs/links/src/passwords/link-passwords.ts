import { createHash } from 'node:crypto';

import type { Queryable } from '@hopcount/postgres';
import { isPasswordOf } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

import { LONGEST_PASSWORD, normalPassword } from './password-hasher.js';
import { Turns, TurnsByName } from './turns.js';

const FIND_HASH = 'SELECT password_hash AS hash FROM links WHERE id = $1 AND deleted_at IS NULL';
/** One of libuv's four threads: the others are for the spool's disk, which redirects wait for. */
const AT_ONCE = 1;
/** About a second's worth. */
const MAY_WAIT = 40;
/** Of one link, so that one that is guessed at keeps no other from its turn: half a second's worth and more. */
const MAY_WAIT_OF_LINK = 20;
/** Of the gateway's four connections: links that are not known yet need the others. */
const READS_AT_ONCE = 2;
const REMEMBERED = 1_000;

/** What a gateway holds of a password, and Redis: as `link_policy()` makes it of the hash. */
function passwordMark(hash: string): string {
  return createHash('sha256').update(hash).digest('hex').slice(0, 32);
}

/**
 * Passwords that visitors type. The hash is read from PostgreSQL when it is first needed and remembered under its mark, so
 * that known links are opened while PostgreSQL is away or silent: nobody waits for it in the turn of argon2, which is computed
 * beside the event loop, one at a time.
 */
export class LinkPasswords {
  readonly #hashes = new LRUCache<string, string>({ max: REMEMBERED });
  readonly #turns = new Turns(AT_ONCE, MAY_WAIT);
  readonly #reads = new Turns(READS_AT_ONCE, MAY_WAIT);
  readonly #ofLink = new TurnsByName(MAY_WAIT_OF_LINK);

  constructor(private readonly database: Pick<Queryable, 'query'>) {}

  /**
   * The mark of the password, if it is that; undefined: it is not.
   * @param mark of the link as it is known
   * @throws AppError `passwords-busy`; database errors pass through
   */
  async markOf(linkId: string, mark: string, password: string): Promise<string | undefined> {
    const text = normalPassword(password);
    if (text === '' || text.length > LONGEST_PASSWORD) return undefined;
    return this.#ofLink.take(linkId, async () => {
      const hash = this.#hashes.get(mark) ?? (await this.#reads.take(() => this.#read(linkId)));
      if (hash === undefined) return undefined;
      return this.#turns.take(async () => ((await isPasswordOf(hash, text)) ? passwordMark(hash) : undefined));
    });
  }

  async #read(linkId: string): Promise<string | undefined> {
    const [row] = await this.database.query<{ hash: string | null }>(FIND_HASH, [linkId]);
    if (row?.hash == null) return undefined;
    this.#hashes.set(passwordMark(row.hash), row.hash);
    return row.hash;
  }
}
