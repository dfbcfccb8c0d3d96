import { z } from 'zod';

import { pageOf } from './short-url.js';

/** What a block names: a host with all below it, a text in the address of a target, or a short URL. */
export const BLOCK_KINDS = ['host', 'pattern', 'link'] as const;
export type BlockKind = (typeof BLOCK_KINDS)[number];

export const blockSchema = z
  .strictObject({
    id: z.string().meta({ examples: ['7'] }),
    kind: z.enum(BLOCK_KINDS),
    value: z.string().meta({ description: 'As it is compared.', examples: ['evil.example'] }),
    reason: z.string().meta({ examples: ['phishing, reported 2026-09-01'] }),
    createdAt: z.string().meta({ examples: ['2026-09-01T12:00:00+00:00'] }),
  })
  .meta({ id: 'Block' });

export const blockListSchema = z.strictObject({ blocks: pageOf(blockSchema) }).meta({ id: 'BlockList' });

export type Block = z.infer<typeof blockSchema>;
export type BlockPage = z.infer<typeof blockListSchema>;
