import { z } from 'zod';

import { API_SCOPES } from './api-scopes.js';
import { pageOf } from './short-url.js';

const API_KEY_STATES = ['active', 'disabled', 'expired', 'revoked'] as const;

const instant = z.string().meta({ format: 'date-time', description: 'Whole seconds, `+00:00`.' });

const fields = {
  id: z.int(),
  name: z.string().meta({ examples: ['newsletter'] }),
  prefix: z.string().nullable().meta({ description: 'How the key begins; null of keys from before this was kept.' }),
  state: z.enum(API_KEY_STATES),
  scopes: z.array(z.enum(API_SCOPES)),
  authoredOnly: z.boolean().meta({ description: 'It reaches only short URLs that it created.' }),
  domain: z.string().nullable().meta({ description: 'The only domain whose short URLs it reaches; null: any.' }),
  noOrphanVisits: z.boolean().meta({ description: 'It sees no orphan visits.' }),
  dateCreated: instant,
  dateExpires: instant.nullable(),
  dateLastUsed: instant.nullable().meta({ description: 'Written at most once a minute.' }),
  previousUntil: instant.nullable().meta({ description: 'Until when the secret before the last rotation works, too.' }),
};

/** A key of the API, without its secret. */
export const apiKeySchema = z.strictObject(fields).meta({ id: 'ApiKey' });

export const newApiKeySchema = z
  .strictObject({
    apiKey: z.string().meta({ description: 'The key itself: it is not kept, and never shown again.' }),
    ...fields,
  })
  .meta({ id: 'NewApiKey' });

export const apiKeyListSchema = z.strictObject({ apiKeys: pageOf(apiKeySchema) }).meta({ id: 'ApiKeyList' });

export type ApiKeyState = (typeof API_KEY_STATES)[number];
export type ApiKey = z.infer<typeof apiKeySchema>;
export type NewApiKey = z.infer<typeof newApiKeySchema>;
export type ApiKeyList = z.infer<typeof apiKeyListSchema>;
