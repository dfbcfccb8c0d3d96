import { BLOCK_ACTIONS, BLOCK_KINDS, blockSchema } from '@hopcount/contracts';
import { z } from 'zod';

import { queryItemsPerPage, queryPage, queryText } from '../http/input.js';
import { sentBack } from '../http/sent-back.js';

export const MAX_BLOCKS_PER_PAGE = 1_000;
export const USUAL_PAGE = 100;

const page = {
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({
    description: `Default 100; below 1: ${MAX_BLOCKS_PER_PAGE}, which is the most.`,
  }),
};

export const listReportsQuery = z.strictObject(page);

export const listBlocksQuery = z.strictObject({
  kind: z.enum(BLOCK_KINDS).optional().meta({ description: 'Only these.' }),
  searchTerm: queryText.meta({ description: 'Only those whose value has this text.' }),
  ...page,
});

export const blockFields = {
  kind: z.enum(BLOCK_KINDS).meta({
    description:
      '`host`: that host and all below it. `pattern`: a text anywhere in the address of a target, `*` for any characters. ' +
      '`link`: one short URL.',
    example: 'host',
  }),
  value: z.string().max(2_048).meta({
    description: 'A host; a pattern of at least 4 characters; a short URL, or a code of the default domain.',
    example: 'evil.example',
  }),
  action: z.enum(BLOCK_ACTIONS).default('block').meta({
    description:
      '`block`: nobody is sent there. `warn`: visitors see a page first that names the host; such links can be created.',
  }),
  reason: z.string().max(2_048).optional().meta({
    description: 'For whoever reads the list; visitors do not see it. At most 500 characters.',
    example: 'phishing, reported 2026-09-01',
  }),
};
export const addBlockRequest = z.strictObject({ ...sentBack(blockSchema, blockFields), ...blockFields });
