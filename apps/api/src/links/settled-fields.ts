import { z } from 'zod';

/**
 * Fields that clients of Shlink send and that are not taken yet: only with the value that changes nothing.
 * With another one, and for a field that nobody knows, the answer is 400: a limit that is ignored is none.
 */
export const settledFields = {
  validateUrl: z.boolean().optional().meta({ description: 'Ignored, as by Shlink since 4.0.', deprecated: true }),
};
