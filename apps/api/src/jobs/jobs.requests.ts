import { DEAD_LETTER_REASONS } from '@hopcount/contracts';
import { z } from 'zod';

const ratePerSecond = z.int().min(1).max(1_000_000).optional().meta({
  description:
    'Maximum rate per second, in links (`rebuild`), dead letters (`redrive`) or records (`replay`). Default: no limit.',
});

export const planJobRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('rebuild'), ratePerSecond }),
  z.strictObject({ kind: z.literal('verify') }),
  z.strictObject({
    kind: z.literal('redrive'),
    reason: z
      .enum(DEAD_LETTER_REASONS)
      .optional()
      .meta({ description: 'Redrive only the dead letters that were rejected for this reason. Default: all.' }),
    ratePerSecond,
  }),
  z.strictObject({ kind: z.literal('seal') }),
  z.strictObject({
    kind: z.literal('replay'),
    lastHours: z.int().min(1).max(720).meta({ description: 'How many hours back from now to read the visits topic.' }),
    ratePerSecond,
  }),
]);
