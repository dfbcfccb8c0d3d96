import type { ApiScope } from '@hopcount/contracts';
import { type Database, loadPreparedSql } from '@hopcount/postgres';
import { type Logger, Reach } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

import { Remembered, type Verifying } from '../remembered.js';
import { hashKeyText, isKeyText, looksLikeKey } from './key-text.js';

const FIND_KEY = loadPreparedSql(import.meta.url, 'sql/find-key.sql');
const TOUCHES_KEPT = 2_000;
const TOUCH_EVERY_MS = 60_000;
/** At most one write a minute and key, whatever its traffic and however many processes. */
const TOUCH = `UPDATE api_keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;

export interface ApiKeyIdentity {
  kind: 'key';
  id: number;
  name: string;
  scopes: readonly ApiScope[];
  reach: Reach;
  /** SHA-256 of the key that was sent. */
  hash: Buffer;
}

interface KeyRow extends Pick<ApiKeyIdentity, 'id' | 'name' | 'scopes'> {
  authoredOnly: boolean;
  noOrphanVisits: boolean;
  domainId: number | null;
  authority: string | null;
  endsInMs: number | null;
}

/**
 * Who asks, by the key of the management API. Found by the SHA-256 of the whole key through a unique index, so the time
 * taken says nothing about how much of a guessed key was right.
 */
export class ApiKeys {
  readonly #known: Remembered<ApiKeyIdentity>;
  readonly #touched = new LRUCache<number, true>({ max: TOUCHES_KEPT, ttl: TOUCH_EVERY_MS });

  constructor(
    private readonly database: Database,
    private readonly options: { logger: Logger; cacheTtlMs?: number },
  ) {
    this.#known = new Remembered((hash) => this.#find(hash), options.cacheTtlMs);
  }

  /** Whose key it is; undefined for an unknown, disabled, expired or revoked one. */
  async verify(key: string, { beforeNew, mayBeAway = false }: Verifying = {}): Promise<ApiKeyIdentity | undefined> {
    if (!looksLikeKey(key)) return undefined;
    const hash = hashKeyText(key);
    // One that was found is one: its checksum is not looked at again, which costs a hash.
    if (!this.#known.wasFound(hash)) {
      if (!isKeyText(key)) return undefined;
      await beforeNew?.();
    }
    const identity = await (mayBeAway ? this.#known.getInOutage(hash) : this.#known.get(hash));
    if (identity !== undefined) this.#touch(identity.id);
    return identity;
  }

  /** The same of a key that was verified before, by what is kept of it. */
  async verifyHash(hash: Buffer): Promise<ApiKeyIdentity | undefined> {
    return this.#known.get(hash);
  }

  /** After a change in this process. */
  forget(): void {
    this.#known.forget();
  }

  async #find(hash: Buffer) {
    const [row] = await this.database.query<KeyRow>(FIND_KEY, [hash]);
    return row && { value: toIdentity(row, hash), endsInMs: row.endsInMs };
  }

  /** Not waited for: when a key was last used is worth no request's time. */
  #touch(id: number): void {
    if (this.#touched.has(id)) return;
    this.#touched.set(id, true);
    this.database.query(TOUCH, [id]).catch((error: unknown) => {
      this.options.logger.warn({ err: error, apiKeyId: id }, 'last use of an API key not written');
    });
  }
}

function toIdentity(row: KeyRow, hash: Buffer): ApiKeyIdentity {
  const { id, name, scopes, domainId, authority, authoredOnly, noOrphanVisits } = row;
  const domain = domainId === null || authority === null ? null : { id: domainId, authority };
  return { kind: 'key', id, name, scopes, hash, reach: Reach.of({ keyId: id, authoredOnly, domain, noOrphanVisits }) };
}
