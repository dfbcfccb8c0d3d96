import type { ApiScope } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';

import type { ApiKeyIdentity, ApiKeys } from './api-keys/api-keys.js';
import { reachOfUser } from './users/roles.js';
import type { ShareIdentity, ShareLinks } from './share-links/share-links.js';
import type { Sessions, UserIdentity } from './users/sessions.js';

/** Who has an account or a key: `kind`, `id` and `name` say who it is. */
export type Identity = ApiKeyIdentity | UserIdentity;
/** Who asks: somebody, or whoever has a link to a view. */
export type Asker = Identity | ShareIdentity;

/** What they reach where an operation asks for that scope; undefined: they may not. */
export function reachFor(identity: Asker, scope: ApiScope): Reach | undefined {
  if (identity.kind === 'share') return scope === 'statistics:read' ? identity.reach : undefined;
  if (identity.kind === 'user') return reachOfUser(identity, scope);
  return identity.scopes.includes(scope) || identity.scopes.includes('admin') ? identity.reach : undefined;
}

/** Finds who asks, by what they send. */
export class Identities {
  constructor(
    private readonly keys: Pick<ApiKeys, 'verify' | 'verifyInOutage' | 'verifyHash' | 'isNew'>,
    private readonly sessions: Pick<Sessions, 'verify' | 'verifyHash' | 'isNew'>,
    private readonly shareLinks: Pick<ShareLinks, 'verify' | 'isNew'>,
  ) {}

  /** Whether PostgreSQL is to be asked about what this process has never found: as of a guess. */
  isNew(kind: Asker['kind'], secret: string): boolean {
    return { key: this.keys, user: this.sessions, share: this.shareLinks }[kind].isNew(secret);
  }

  /** @param isInOutage PostgreSQL may be away: then whose key it was when it was asked last, 15 minutes ago at most */
  ofKey(key: string, isInOutage = false): Promise<Identity | undefined> {
    return isInOutage ? this.keys.verifyInOutage(key) : this.keys.verify(key);
  }

  ofSession(token: string): Promise<Identity | undefined> {
    return this.sessions.verify(token);
  }

  ofShareLink(token: string): Promise<ShareIdentity | undefined> {
    return this.shareLinks.verify(token);
  }

  /** Somebody who was found before, as of now; undefined when they have no say any more. */
  again({ kind, hash }: Pick<Identity, 'kind' | 'hash'>): Promise<Identity | undefined> {
    return kind === 'key' ? this.keys.verifyHash(hash) : this.sessions.verifyHash(hash);
  }
}
