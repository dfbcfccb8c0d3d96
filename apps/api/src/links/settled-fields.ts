import { z } from 'zod';

const noTarget = z.null('not taken: send a redirect rule with a condition of the type device').optional();

/**
 * Fields that clients of Shlink send and that are not taken yet: only with the value that changes nothing.
 * With another one, and for a field that nobody knows, the answer is 400: a limit that is ignored is none.
 */
export const settledFields = {
  validateUrl: z.boolean().optional().meta({ description: 'Ignored, as by Shlink since 4.0.', deprecated: true }),
  deviceLongUrls: z
    .strictObject({ android: noTarget, ios: noTarget, desktop: noTarget })
    .nullish()
    .meta({ description: 'Of Shlink 3.5 to 3.7: null for each device. Redirect rules do it now.', deprecated: true }),
};
