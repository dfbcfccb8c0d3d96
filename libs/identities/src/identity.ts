import type { ApiScope } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';

import type { ApiKeyIdentity, ApiKeys } from './api-keys/api-keys.js';
import { reachOfUser } from './users/roles.js';
import type { Sessions, UserIdentity } from './users/sessions.js';

/** Who asks, of either kind: `kind`, `id` and `name` say who it is. */
export type Identity = ApiKeyIdentity | UserIdentity;

/** What they reach where an operation asks for that scope; undefined: they may not. */
export function reachFor(identity: Identity, scope: ApiScope): Reach | undefined {
  if (identity.kind === 'user') return reachOfUser(identity, scope);
  return identity.scopes.includes(scope) || identity.scopes.includes('admin') ? identity.reach : undefined;
}

/** Finds who asks, by what they send. */
export class Identities {
  constructor(
    private readonly keys: Pick<ApiKeys, 'verify' | 'verifyHash' | 'isNew'>,
    private readonly sessions: Pick<Sessions, 'verify' | 'verifyHash' | 'isNew'>,
  ) {}

  /** Whether PostgreSQL is to be asked about what this process has never found: as of a guess. */
  isNew(kind: Identity['kind'], secret: string): boolean {
    return kind === 'key' ? this.keys.isNew(secret) : this.sessions.isNew(secret);
  }

  ofKey(key: string): Promise<Identity | undefined> {
    return this.keys.verify(key);
  }

  ofSession(token: string): Promise<Identity | undefined> {
    return this.sessions.verify(token);
  }

  /** Somebody who was found before, as of now; undefined when they have no say any more. */
  again({ kind, hash }: Pick<Identity, 'kind' | 'hash'>): Promise<Identity | undefined> {
    return kind === 'key' ? this.keys.verifyHash(hash) : this.sessions.verifyHash(hash);
  }
}
