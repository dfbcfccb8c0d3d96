import { API_SCOPES, type ApiScope } from '@hopcount/contracts';
import { ApiKeyEntity, type Database } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

import { hashKeyText, isKeyText, makeKeyText } from './key-text.js';

/** A revoked key works for at most this long. */
const CACHE_TTL_MS = 5_000;
const CACHE_SIZE = 1_000;
const TOUCH_EVERY_MS = 60_000;
/** At most one write a minute and key, whatever its traffic and however many processes. */
const TOUCH = `UPDATE api_keys SET last_used_at = now()
  WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`;

export interface ApiKeyIdentity {
  id: number;
  name: string;
  /** Every key may do everything today. */
  scopes: readonly ApiScope[];
}

/**
 * Keys of the management API. Found by the SHA-256 of the whole key through a unique index, so the time
 * taken says nothing about how much of a guessed key was right.
 */
export class ApiKeys {
  readonly #known: LRUCache<string, ApiKeyIdentity>;
  readonly #touched = new LRUCache<number, true>({ max: CACHE_SIZE, ttl: TOUCH_EVERY_MS });

  constructor(
    private readonly database: Database,
    private readonly options: { logger: Logger; cacheTtlMs?: number },
  ) {
    const ttl = options.cacheTtlMs ?? CACHE_TTL_MS;
    this.#known = new LRUCache({ max: CACHE_SIZE, ttl, ttlResolution: 0 });
  }

  /** @returns the key itself, readable only now: the database keeps its hash */
  async create(name: string, expiresAt: Date | null = null): Promise<{ id: number; key: string }> {
    const key = makeKeyText();
    const { id } = await this.database.repository(ApiKeyEntity).save({ name, keyHash: hashKeyText(key), expiresAt });
    return { id, key };
  }

  /** Whose key it is; undefined for an unknown, disabled or expired one. */
  async verify(key: string): Promise<ApiKeyIdentity | undefined> {
    if (!isKeyText(key)) return undefined;
    const hash = hashKeyText(key);
    const cacheKey = hash.toString('base64');
    let identity = this.#known.get(cacheKey);
    if (identity === undefined) {
      const found = await this.database
        .repository(ApiKeyEntity)
        .createQueryBuilder('key')
        .where('key.keyHash = :hash AND key.enabled AND (key.expiresAt IS NULL OR key.expiresAt > now())', { hash })
        .getOne();
      if (found === null) return undefined;
      identity = { id: found.id, name: found.name, scopes: API_SCOPES };
      this.#known.set(cacheKey, identity);
    }
    this.#touch(identity.id);
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
