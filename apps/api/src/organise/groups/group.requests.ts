import { groupSchema, shortUrlSchema } from '@hopcount/contracts';
import { z } from 'zod';

import { queryItemsPerPage, queryPage, queryText } from '../../http/input.js';
import { creationOf, sentBack } from '../../http/sent-back.js';

/** Their short URLs are counted for each answer. */
export const MAX_GROUPS_PER_PAGE = 500;

const groupId = z.string().max(1_024);
const name = z.string().max(1_024).meta({ description: 'At most 256 characters.', example: 'Marketing' });

export const listGroupsQuery = z.strictObject({
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: `Default, and below 1: all, at most ${MAX_GROUPS_PER_PAGE}.` }),
});

const newGroup = {
  groupId: groupId.meta({ description: 'At most 64 characters; never changes.', example: 'marketing' }),
  name: name.optional().meta({ description: 'The id, unless given.' }),
};
export const createGroupRequest = creationOf(groupSchema, newGroup);

export const groupEdits = { name };
export const renameGroupRequest = z.strictObject({ ...sentBack(groupSchema, groupEdits), ...groupEdits });

export const orderGroupsRequest = z.strictObject({
  groupIds: z
    .array(groupId)
    .max(1_000)
    .meta({ description: 'These come first, in this order; the others stay as they are.', example: ['marketing'] }),
});

export const deleteGroupQuery = z.strictObject({
  moveTo: queryText.meta({ description: 'The group that gets its short URLs; without one it must be empty.' }),
});

const movedLink = { shortCode: z.string().max(1_024), domain: z.string().max(1_024).nullish() };
export const moveLinksRequest = z.strictObject({
  groupId: groupId.nullable().meta({ description: 'null: out of their groups.', example: 'marketing' }),
  shortUrls: z
    .array(creationOf(shortUrlSchema, movedLink))
    .min(1)
    .max(1_000)
    .meta({
      description: 'At most 1,000; without a domain they are on the default one.',
      example: [{ shortCode: 'my-slug' }],
    }),
});
