import type { ApiScope } from '@hopcount/contracts';
import { type Database, loadSql } from '@hopcount/postgres';
import { type Logger, Reach } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

import { hashKeyText, isKeyText } from './key-text.js';

const FIND_KEY = loadSql(import.meta.url, 'sql/find-key.sql');
/** A revoked key works for so long at most, counted from before the question: within the 5 s that are promised. */
const CACHE_TTL_MS = 3_000;
const CACHE_SIZE = 2_000;
const TOUCH_EVERY_MS = 60_000;
/** At most one write a minute and key, whatever its traffic and however many processes. */
const TOUCH = `UPDATE api_keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;

export interface ApiKeyIdentity {
  id: number;
  name: string;
  scopes: readonly ApiScope[];
  reach: Reach;
  /** SHA-256 of the key that was sent. */
  hash: Buffer;
}

interface KeyRow extends Omit<ApiKeyIdentity, 'reach' | 'hash'> {
  authoredOnly: boolean;
  noOrphanVisits: boolean;
  domainId: number | null;
  authority: string | null;
  endsInMs: number | null;
}

/**
 * Who asks, by the key of the management API. Found by the SHA-256 of the whole key through a unique index, so the time
 * taken says nothing about how much of a guessed key was right. PostgreSQL is asked once in three seconds for a key that is in
 * use, and each time for one that is none; Redis has no part in it.
 */
export class ApiKeys {
  readonly #known: LRUCache<string, ApiKeyIdentity>;
  readonly #asking = new Map<string, Promise<ApiKeyIdentity | undefined>>();
  readonly #touched = new LRUCache<number, true>({ max: CACHE_SIZE, ttl: TOUCH_EVERY_MS });

  constructor(
    private readonly database: Database,
    private readonly options: { logger: Logger; cacheTtlMs?: number },
  ) {
    this.#known = new LRUCache({ max: CACHE_SIZE, ttl: this.#ttlMs, ttlResolution: 0 });
  }

  /** Whose key it is; undefined for an unknown, disabled, expired or revoked one. */
  async verify(key: string): Promise<ApiKeyIdentity | undefined> {
    if (!isKeyText(key)) return undefined;
    const identity = await this.verifyHash(hashKeyText(key));
    if (identity !== undefined) this.#touch(identity.id);
    return identity;
  }

  /** The same of a key that was verified before, by what is kept of it. */
  async verifyHash(hash: Buffer): Promise<ApiKeyIdentity | undefined> {
    const name = hash.toString('base64');
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const asked = this.#asking.get(name);
    if (asked !== undefined) return asked;
    const asking = this.#find(name, hash).finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return asking;
  }

  /** After a change in this process; other processes see it within three seconds. */
  forget(): void {
    this.#known.clear();
    this.#asking.clear();
  }

  get #ttlMs(): number {
    return this.options.cacheTtlMs ?? CACHE_TTL_MS;
  }

  async #find(name: string, hash: Buffer): Promise<ApiKeyIdentity | undefined> {
    const start = performance.now();
    const [row] = await this.database.query<KeyRow>(FIND_KEY, [hash]);
    if (row === undefined) return undefined;
    const ttl = Math.max(1, Math.floor(Math.min(this.#ttlMs, row.endsInMs ?? Infinity)));
    const identity = toIdentity(row, hash);
    this.#known.set(name, identity, { ttl, start });
    return identity;
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
  return { id, name, scopes, hash, reach: Reach.of({ keyId: id, authoredOnly, domain, noOrphanVisits }) };
}
