import { API_SCOPES, type ApiKeyState, type ApiScope } from '@hopcount/contracts';
import { parseAuthority, spellDomain } from '@hopcount/links';
import { type Database, loadSql, type Queryable } from '@hopcount/postgres';
import { AppError } from '@hopcount/runtime';

import { dropInvitesOf } from '../users/invites.js';
import { hashKeyText, makeKeyText, prefixOf } from './key-text.js';

const LIST_KEYS = loadSql(import.meta.url, 'sql/list-keys.sql');
const INSERT_KEY = loadSql(import.meta.url, 'sql/insert-key.sql');
const ROTATE_KEY = loadSql(import.meta.url, 'sql/rotate-key.sql');
const COUNT_KEYS = 'SELECT count(*)::integer AS number FROM api_keys';
const FIND_DOMAIN = 'SELECT id FROM domains WHERE authority = $1 OR ($1::text IS NULL AND is_default)';
const FILE_DOMAIN = 'INSERT INTO domains (authority) VALUES ($1) ON CONFLICT (authority) DO NOTHING';
const ENABLE = 'UPDATE api_keys SET enabled = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id';
/** `enabled` as well: an api process of an older version knows nothing of revoked keys. */
const REVOKE = `UPDATE api_keys SET revoked_at = now(), enabled = false, previous_hash = NULL, previous_until = NULL
  WHERE id = $1 AND revoked_at IS NULL RETURNING id`;

/** Revoked ones stay and count: links name them as their author. */
const KEYS_AT_MOST = 10_000;
const NAME = /^[\p{L}\p{N}\p{P}\p{S} ]{1,100}$/u;
export const LONGEST_GRACE_SECONDS = 7 * 86_400;

export interface NewApiKey {
  name: string;
  /** Absent: everything; with a role everything but `admin`. */
  scopes?: readonly ApiScope[] | undefined;
  expiresAt?: Date | null | undefined;
  /** Roles: it reaches only links it created, only those of a domain (filed when new), no orphan visits. */
  authoredOnly?: boolean | undefined;
  domain?: string | null | undefined;
  noOrphanVisits?: boolean | undefined;
}

export interface ApiKeyRecord {
  id: number;
  name: string;
  prefix: string | null;
  state: ApiKeyState;
  scopes: ApiScope[];
  authoredOnly: boolean;
  domain: string | null;
  noOrphanVisits: boolean;
  createdAt: Date;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
  previousUntil: Date | null;
}

/** With the key itself, which can be read only now: the database has its hash. */
export interface IssuedApiKey extends ApiKeyRecord {
  key: string;
}

/** Makes, rotates and ends the keys of the API. What a key may do and reach never changes: another key may do something else. */
export class ApiKeyRegistry {
  /** @param keys of this process, which follow at once */
  constructor(
    private readonly database: Database,
    private readonly keys?: { forget(): void },
  ) {}

  /** By name. */
  async list(page: { offset: number; limit: number }): Promise<{ keys: ApiKeyRecord[]; totalItems: number }> {
    return this.database.transaction(
      async (tx) => {
        const [count] = await tx.query<{ number: number }>(COUNT_KEYS);
        const keys = await tx.query<ApiKeyRecord>(LIST_KEYS, [null, null, page.limit, page.offset]);
        return { keys, totalItems: count?.number ?? 0 };
      },
      { isolation: 'REPEATABLE READ', readOnly: true },
    );
  }

  /** @throws AppError `api-key-not-found` */
  async get(id: number): Promise<ApiKeyRecord> {
    return this.#find(this.database, [id, null], String(id));
  }

  /** @throws AppError `api-key-not-found` */
  async named(name: string): Promise<ApiKeyRecord> {
    return this.#find(this.database, [null, name], name);
  }

  /** @throws AppError `invalid-data`, `api-key-conflict`, `too-many-api-keys` */
  async create(given: NewApiKey): Promise<IssuedApiKey> {
    const { name, scopes, expiresAt, authoredOnly, domain, noOrphanVisits } = checked(given);
    const key = makeKeyText();
    return this.database.transaction(async (tx) => {
      const domainId = domain === null ? null : await fileDomain(tx, domain);
      const values = [name, hashKeyText(key), prefixOf(key), scopes, expiresAt, authoredOnly, domainId, noOrphanVisits];
      const [row] = await tx.query<{ id: number }>(INSERT_KEY, [...values, KEYS_AT_MOST]);
      if (row === undefined) throw await refusal(tx, name);
      return { key, ...(await this.#find(tx, [row.id, null], name)) };
    });
  }

  /**
   * Another secret for the same key. @param graceSeconds for so long the one before works, too
   * @throws AppError `api-key-not-found` (also of a revoked one), `invalid-data`
   */
  async rotate(id: number, graceSeconds: number): Promise<IssuedApiKey> {
    if (!Number.isInteger(graceSeconds) || graceSeconds < 0 || graceSeconds > LONGEST_GRACE_SECONDS) {
      throw invalid('graceSeconds', `The old secret works for 0 to ${LONGEST_GRACE_SECONDS} seconds more.`);
    }
    const key = makeKeyText();
    await this.#change(id, ROTATE_KEY, [hashKeyText(key), prefixOf(key), graceSeconds]);
    return { key, ...(await this.get(id)) };
  }

  /** A disabled one loses its invites. @throws AppError `api-key-not-found` (also of a revoked one) */
  async enable(id: number, enabled: boolean): Promise<ApiKeyRecord> {
    await this.#change(id, ENABLE, [enabled], { keepsInvites: enabled });
    return this.get(id);
  }

  /** For good, with its invites. @throws AppError `api-key-not-found` (also of a revoked one) */
  async revoke(id: number): Promise<void> {
    await this.#change(id, REVOKE, [], { keepsInvites: false });
  }

  async #change(id: number, statement: string, values: unknown[], { keepsInvites = true } = {}): Promise<void> {
    const changed = await this.database.transaction(async (tx) => {
      const rows = await tx.query(statement, [id, ...values]);
      if (!keepsInvites) await dropInvitesOf(tx, { kind: 'key', id });
      return rows;
    });
    this.keys?.forget();
    if (changed.length === 0) throw notFound(String(id));
  }

  async #find(queryable: Queryable, by: [number | null, string | null], asked: string): Promise<ApiKeyRecord> {
    const [found] = await queryable.query<ApiKeyRecord>(LIST_KEYS, [...by, 1, 0]);
    if (found === undefined) throw notFound(asked);
    return found;
  }
}

function checked({
  name,
  scopes,
  expiresAt = null,
  authoredOnly = false,
  domain = null,
  noOrphanVisits = false,
}: NewApiKey) {
  const trimmed = name.trim().normalize('NFC');
  if (!NAME.test(trimmed)) throw invalid('name', 'A name has 1 to 100 visible characters.');
  if (expiresAt !== null && expiresAt.getTime() <= Date.now()) {
    throw invalid('expirationDate', 'A key that has ended already is of no use: name a moment to come.');
  }
  const hasRole = authoredOnly || domain !== null || noOrphanVisits;
  const wanted = scopes ?? (hasRole ? API_SCOPES.filter((scope) => scope !== 'admin') : (['admin'] as const));
  if (wanted.length === 0) throw invalid('scopes', 'A key without a scope may do nothing: name one.');
  if (hasRole && wanted.includes('admin')) {
    throw invalid('scopes', 'A key with a role cannot have the scope admin, which is everything.');
  }
  return {
    ...{ name: trimmed, expiresAt, authoredOnly, domain, noOrphanVisits },
    scopes: API_SCOPES.filter((scope) => wanted.includes(scope)),
  };
}

/** Its id. @throws AppError `invalid-data` */
async function fileDomain(tx: Queryable, name: string): Promise<number> {
  const known = spellDomain(name);
  const find = async (authority: string | null) => (await tx.query<{ id: number }>(FIND_DOMAIN, [authority]))[0]?.id;
  const found = await find(known);
  if (found !== undefined) return found;
  const authority = parseAuthority(name);
  await tx.query(FILE_DOMAIN, [authority]);
  return (await find(authority)) as number;
}

async function refusal(tx: Queryable, name: string): Promise<AppError> {
  const [taken] = await tx.query('SELECT FROM api_keys WHERE name = $1', [name]);
  if (taken !== undefined) {
    const message = `There is an API key "${name}", perhaps a revoked one: links name their author by it. Choose another name.`;
    return new AppError('api-key-conflict', message, { details: { name } });
  }
  return new AppError('too-many-api-keys', `There are ${KEYS_AT_MOST} API keys, which is as many as there may be.`);
}

function notFound(asked: string): AppError {
  return new AppError('api-key-not-found', `There is no API key "${asked}" that could be changed.`);
}

function invalid(field: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [field] } });
}
