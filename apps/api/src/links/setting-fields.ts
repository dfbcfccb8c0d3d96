import { EXTRA_PATH_MODES, LONGEST_PASSWORD, REDIRECT_STATUSES } from '@hopcount/links';
import { z } from 'zod';

const EARLIEST_MS = 0;
const MAX_VISITS = 2_147_483_647;
const LATEST_MS = Date.UTC(10_000, 0, 1);

/** In whole seconds, as it is answered. */
const moment = z.iso
  .datetime({ offset: true, error: 'not an RFC 3339 date and time, such as 2026-12-31T23:59:59+00:00' })
  .transform((text) => new Date(Math.floor(Date.parse(text) / 1_000) * 1_000))
  .refine((date) => date.getTime() >= EARLIEST_MS && date.getTime() < LATEST_MS, 'not between the years 1970 and 9999')
  .nullable()
  .optional();

/** What decides where a link's visitors go, beside its long URL; in bodies of POST and PATCH alike. */
export const settingFields = {
  validSince: moment.meta({
    description: 'Visitors before it get 404. Whole seconds; null: no such limit.',
    example: '2026-12-01T00:00:00+00:00',
  }),
  validUntil: moment.meta({
    description: 'Visitors after it get 404, or go to `expiredUrl`. Whole seconds; null: no such limit.',
    example: '2026-12-31T23:59:59+00:00',
  }),
  maxVisits: z
    .int()
    .min(1)
    .max(MAX_VISITS)
    .nullable()
    .optional()
    .meta({
      description:
        'So many visits, and no more, on all gateways together; then 404, or `expiredUrl`. Visits so far count; those of bots, too. ' +
        'Not with a `redirectStatus` of 301 or 308. null: no such limit.',
      example: 100,
    }),
  expiredUrl: z
    .string()
    .refine((value) => value.trim() !== '', 'blank')
    .nullable()
    .optional()
    .meta({
      description: 'Where visitors go after `validUntil` or `maxVisits`; their visits count, but use up nothing.',
      example: 'https://example.com/over',
    }),
  disabled: z.boolean().optional().meta({ description: 'Visitors get 404 as long as it is true.' }),
  crawlable: z.boolean().optional().meta({ description: 'Whether robots.txt allows search engines to follow it.' }),
  warn: z.boolean().optional().meta({
    description:
      'Visitors see a page that names the host they are sent to, and go on by a button; only then is it a visit.',
  }),
  forwardQuery: z.boolean().optional().meta({
    description:
      'Whether parameters visitors come with are added to those of the target, which they cannot replace. Default true.',
  }),
  extraPath: z.enum(EXTRA_PATH_MODES).nullable().optional().meta({
    description: 'What visitors of `/code/more` get: the target with `/more`, the target as it is, or (null) 404.',
  }),
  redirectStatus: z.literal(REDIRECT_STATUSES).nullable().optional().meta({
    description:
      'Default (and null) 302. Browsers keep 301 and 308 for 30 s, in which repeated visits are not seen, unless `validUntil` is set.',
  }),
};

/** In bodies of POST and PATCH; never in an answer. */
export const passwordField = z
  .string()
  .max(4 * LONGEST_PASSWORD)
  .nullish()
  .meta({
    format: 'password',
    writeOnly: true,
    description:
      `Visitors are asked for it before they are sent on: 8 to ${LONGEST_PASSWORD} characters. A change ends what it opened. ` +
      'null: no password. Answers say `hasPassword` only, and nobody can read it again.',
  });

/** Of a body that names both ends. */
export function isValidPeriod({ validSince, validUntil }: z.output<z.ZodObject<typeof settingFields>>): boolean {
  return validSince == null || validUntil == null || validSince <= validUntil;
}

export const INVALID_PERIOD = { error: 'before validSince', path: ['validUntil'] };
