import type { ApiScope } from '@hopcount/contracts';
import type { Reach } from '@hopcount/runtime';

import type { ApiKeyIdentity, ApiKeys } from './api-keys/api-keys.js';
import type { Verifying } from './remembered.js';
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
    private readonly keys: Pick<ApiKeys, 'verify' | 'verifyHash'>,
    private readonly sessions: Pick<Sessions, 'verify' | 'verifyHash'>,
    private readonly shareLinks: Pick<ShareLinks, 'verify'>,
  ) {}

  ofKey(key: string, how?: Verifying): Promise<Identity | undefined> {
    return this.keys.verify(key, how);
  }

  ofSession(token: string, how?: Pick<Verifying, 'beforeNew'>): Promise<Identity | undefined> {
    return this.sessions.verify(token, how);
  }

  ofShareLink(token: string, how?: Pick<Verifying, 'beforeNew'>): Promise<ShareIdentity | undefined> {
    return this.shareLinks.verify(token, how);
  }

  /** Somebody who was found before, as of now; undefined when they have no say any more. */
  again({ kind, hash }: Pick<Identity, 'kind' | 'hash'>): Promise<Identity | undefined> {
    return kind === 'key' ? this.keys.verifyHash(hash) : this.sessions.verifyHash(hash);
  }
}
