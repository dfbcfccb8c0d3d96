import type { ApiKeyRecord } from '@hopcount/identities';

import type { CliContext } from '../context.js';
import type { Column, OutputFormat } from '../output/output.js';

export const KEY_COLUMNS: Column<ApiKeyRecord>[] = [
  { name: 'name', heading: 'name', value: ({ name }) => name },
  { name: 'prefix', heading: 'begins with', value: ({ prefix }) => prefix },
  { name: 'state', heading: 'state', value: ({ state }) => state },
  { name: 'scopes', heading: 'may', value: ({ scopes }) => scopes.join(' ') },
  { name: 'roles', heading: 'only', value: rolesOf },
  { name: 'created', heading: 'created', value: ({ createdAt }) => createdAt.toISOString() },
  { name: 'expires', heading: 'expires', value: ({ expiresAt }) => expiresAt?.toISOString() ?? null },
  { name: 'lastUsed', heading: 'last used', value: ({ lastUsedAt }) => lastUsedAt?.toISOString() ?? null },
  {
    name: 'previousUntil',
    heading: 'old secret until',
    value: ({ previousUntil }) => previousUntil?.toISOString() ?? null,
  },
];

function rolesOf({ authoredOnly, domain, noOrphanVisits }: ApiKeyRecord): string | null {
  const roles = [authoredOnly && 'its own links', domain, noOrphanVisits && 'no orphan visits'];
  return roles.filter((role) => typeof role === 'string').join(', ') || null;
}

/** A key that cannot be read again. */
export function printIssued({ terminal }: CliContext, output: OutputFormat, key: string): void {
  const columns = [{ name: 'apiKey', heading: 'API key', value: (apiKey: string) => apiKey }];
  terminal.rows(output, columns, [key], ([object]) => object);
  terminal.message('Keep it: it cannot be shown again. Send it as the X-Api-Key header.');
}
