import { API_SCOPES, type ApiScope } from '@hopcount/contracts';
import { loadSql, type Queryable } from '@hopcount/postgres';
import type { Logger } from '@hopcount/runtime';
import { LRUCache } from 'lru-cache';

import { hashKeyText, isKeyText, makeKeyText } from './key-text.js';

const INSERT = loadSql(import.meta.url, 'sql/insert-api-key.sql');
const FIND = loadSql(import.meta.url, 'sql/find-api-key.sql');
const TOUCH = loadSql(import.meta.url, 'sql/touch-api-key.sql');

/** A revoked key works for at most this long. */
const CACHE_TTL_MS = 5_000;
const CACHE_SIZE = 1_000;
const TOUCH_EVERY_MS = 60_000;

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
  readonly #touchedAtMs = new Map<number, number>();

  constructor(
    private readonly database: Queryable,
    private readonly options: { logger: Logger; cacheTtlMs?: number },
  ) {
    const ttl = options.cacheTtlMs ?? CACHE_TTL_MS;
    this.#known = new LRUCache({ max: CACHE_SIZE, ttl, ttlResolution: 0 });
  }

  /** @returns the key itself, readable only now: the database keeps its hash */
  async create(name: string, expiresAt: Date | null = null): Promise<{ id: number; key: string }> {
    const key = makeKeyText();
    const [row] = await this.database.query<{ id: number }>(INSERT, [name, hashKeyText(key), expiresAt]);
    if (row === undefined) throw new Error('the key was not stored');
    return { id: row.id, key };
  }

  /** Whose key it is; undefined for an unknown, disabled or expired one. */
  async verify(key: string): Promise<ApiKeyIdentity | undefined> {
    if (!isKeyText(key)) return undefined;
    const hash = hashKeyText(key);
    const cacheKey = hash.toString('base64');
    let identity = this.#known.get(cacheKey);
    if (identity === undefined) {
      const [found] = await this.database.query<{ id: number; name: string }>(FIND, [hash]);
      if (found === undefined) return undefined;
      identity = { ...found, scopes: API_SCOPES };
      this.#known.set(cacheKey, identity);
    }
    this.#touch(identity.id);
    return identity;
  }

  /** Not waited for: when a key was last used is worth no request's time. */
  #touch(id: number): void {
    const now = performance.now();
    const last = this.#touchedAtMs.get(id);
    if (last !== undefined && now - last < TOUCH_EVERY_MS) return;
    this.#touchedAtMs.set(id, now);
    this.database.query(TOUCH, [id]).catch((error: unknown) => {
      this.options.logger.warn({ err: error, apiKeyId: id }, 'last use of an API key not written');
    });
  }
}
