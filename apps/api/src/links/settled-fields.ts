import { z } from 'zod';

/**
 * Fields that clients of Shlink send and that are not taken yet: only with the value that changes nothing.
 * With another one, and for a field that nobody knows, the answer is 400: a limit that is ignored is none.
 */
export const settledFields = {
  validSince: z.null().optional(),
  validUntil: z.null().optional(),
  maxVisits: z.null().optional(),
  crawlable: z.literal(false).optional(),
  forwardQuery: z.literal(true).optional(),
  validateUrl: z.boolean().optional().meta({ description: 'Ignored, as by Shlink since 4.0.', deprecated: true }),
};
