import { API_SCOPES, apiKeySchema } from '@hopcount/contracts';
import { LONGEST_GRACE_SECONDS } from '@hopcount/identities';
import { z } from 'zod';

import { queryItemsPerPage, queryPage } from '../http/input.js';
import { sentBack, takenOf } from '../http/sent-back.js';

export const listApiKeysQuery = z.strictObject({
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: 'Default, and below 1: all, at most 5,000.' }),
});

const expiry = z.iso
  .datetime({ offset: true })
  .nullish()
  .transform((text) => (text == null ? null : new Date(text)));

const newApiKey = {
  name: z.string().max(1_024).meta({ description: '1 to 100 characters; no other key has it.', example: 'newsletter' }),
  scopes: z
    .array(z.enum(API_SCOPES))
    .min(1)
    .meta({ description: 'What it may do; `admin` is everything.', example: ['links:read', 'links:write'] }),
  expirationDate: expiry.meta({
    description: 'From then on it is refused; absent: it does not expire.',
    example: '2030-01-01T00:00:00Z',
  }),
  authoredOnly: z
    .boolean()
    .optional()
    .meta({ description: 'It reaches only short URLs that it created. Roles do not go together with `admin`.' }),
  domain: z.string().max(1_024).nullish().meta({
    description:
      'It reaches only short URLs of this domain (`DEFAULT`: the default one), and creates all of its own there.',
    example: 'go.example.com',
  }),
  noOrphanVisits: z.boolean().optional().meta({ description: 'It sees no orphan visits.' }),
};
const dateExpires = expiry.meta({ description: 'As it is answered: counts where no `expirationDate` is given.' });
export const createApiKeyRequest = z
  .strictObject({ ...sentBack(apiKeySchema, { ...newApiKey, dateExpires }), dateExpires, ...newApiKey })
  .transform((given) => ({
    ...takenOf(given, newApiKey, { state: 'active' }),
    expirationDate: given.expirationDate ?? given.dateExpires,
  }));

export const rotateApiKeyRequest = z.strictObject({
  graceSeconds: z.int().min(0).max(LONGEST_GRACE_SECONDS).default(0).meta({
    description: 'For so long the old secret works, too. With 0 it ends now, and so does one that was older.',
  }),
});

export const apiKeyEdits = {
  enabled: z.boolean().optional().meta({ description: 'A disabled key is refused until it is enabled again.' }),
};
export const editApiKeyRequest = z.strictObject({ ...sentBack(apiKeySchema, apiKeyEdits), ...apiKeyEdits });
