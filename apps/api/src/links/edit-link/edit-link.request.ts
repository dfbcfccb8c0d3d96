import { shortUrlSchema } from '@hopcount/contracts';
import type { LinkEdit } from '@hopcount/links';
import { z } from 'zod';

import { sentBack } from '../../http/sent-back.js';
import { createdFields } from './created-fields.js';
import { INVALID_PERIOD, isValidPeriod, passwordField, settingFields } from '../setting-fields.js';
import { settledFields } from '../settled-fields.js';

export const linkEdits = {
  longUrl: z
    .string()
    .refine((value) => value.trim() !== '', 'blank')
    .optional()
    .meta({ description: 'Where the link leads from now on.', example: 'https://example.com/new' }),
  title: z
    .string()
    .max(16_384)
    .nullish()
    .meta({ description: 'Cut at 512 characters; null clears it.', example: 'New title' }),
  note: z.string().max(16_384).nullish().meta({ description: 'At most 4,096 characters; null clears it.' }),
  tags: z
    .array(z.string())
    .max(1_000)
    .nullish()
    .transform((value) => value ?? undefined)
    .meta({ description: 'Replace all tags of the link.', example: ['docs'] }),
  groupId: z.string().max(1_024).nullish().meta({
    description:
      'Moves the link to that group, which must exist; null takes it out of its group. Visits already counted keep the group of their time.',
    example: 'marketing',
  }),
  ...settingFields,
  password: passwordField,
  ...settledFields,
};

/** Body of PATCH short-urls/{code}: what is absent stays. */
export const editLinkRequest = z
  .strictObject({ ...sentBack(shortUrlSchema, linkEdits), ...createdFields, ...linkEdits })
  .refine(isValidPeriod, INVALID_PERIOD);

const EDITS = Object.keys(linkEdits).filter((name) => !Object.hasOwn(settledFields, name));

/** What of a body changes a link. */
export function editsOf(body: EditLinkRequest): LinkEdit {
  return Object.fromEntries(Object.entries(body).filter(([name]) => EDITS.includes(name)));
}

export type EditLinkRequest = z.output<typeof editLinkRequest>;
