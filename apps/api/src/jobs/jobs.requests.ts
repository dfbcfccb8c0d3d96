import { DEAD_LETTER_REASONS } from '@hopcount/contracts';
import { z } from 'zod';

const ratePerSecond = z.int().min(1).max(1_000_000).optional().meta({
  description: 'At most so many links (rebuild), letters (redrive) or records (replay) a second; absent: no limit.',
});

export const planJobRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rebuild'), ratePerSecond }),
  z.strictObject({ kind: z.literal('verify') }),
  z.strictObject({
    kind: z.literal('redrive'),
    reason: z.enum(DEAD_LETTER_REASONS).optional().meta({ description: 'Only letters put aside for this.' }),
    ratePerSecond,
  }),
  z.strictObject({ kind: z.literal('seal') }),
  z.strictObject({
    kind: z.literal('replay'),
    lastHours: z.int().min(1).max(720).meta({ description: 'Records that the topic took in the last so many hours.' }),
    ratePerSecond,
  }),
]);
