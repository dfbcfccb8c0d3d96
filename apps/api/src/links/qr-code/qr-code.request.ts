import { QR_CODE_FORMATS } from '@hopcount/contracts';
import { z } from 'zod';

import { queryText } from '../../http/input.js';

const MIN_SIZE = 50;
const MAX_SIZE = 1_000;
const MAX_MARGIN = 200;
/** A file of 128 KiB in base64, with its head. */
const MAX_LOGO_LENGTH = 175_000;

const pixels = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,5}$/, 'not a whole number')
    .transform(Number)
    .refine((value) => value >= min && value <= max, `between ${min} and ${max}`);

const colour = z
  .string()
  .regex(/^#?([0-9a-f]{3}|[0-9a-f]{6})$/i, 'three or six hexadecimal digits')
  .transform((text) => {
    const digits = text.replace('#', '').toLowerCase();
    return `#${digits.length === 3 ? digits.replace(/./g, '$&$&') : digits}`;
  });

/** The names Shlink gives them. */
export const qrCodeQuery = z.strictObject({
  domain: queryText,
  format: z.enum(Object.keys(QR_CODE_FORMATS) as (keyof typeof QR_CODE_FORMATS)[]).default('png'),
  size: pixels(MIN_SIZE, MAX_SIZE)
    .prefault('300')
    .meta({
      description: `Side of the code in pixels without its margin, ${MIN_SIZE} to ${MAX_SIZE}.`,
      example: '300',
    }),
  margin: pixels(0, MAX_MARGIN)
    .optional()
    .meta({ description: `In pixels, on each side, at most ${MAX_MARGIN}; absent: four modules.`, example: '20' }),
  errorCorrection: z
    .string()
    .toUpperCase()
    .pipe(z.enum(['L', 'M', 'Q', 'H']))
    .prefault('L')
    .meta({ description: 'L, M, Q or H: 7, 15, 25 or 30 % may be covered. With a logo it is H.', example: 'M' }),
  color: colour.prefault('#000000').meta({ description: 'Of the modules, `abc` or `aabbcc`.', example: '1a2b3c' }),
  bgColor: colour.prefault('#ffffff').meta({ description: 'Behind them, the margin included.', example: 'ffffff' }),
});

export type QrCodeQuery = z.output<typeof qrCodeQuery>;

export const qrCodeLogo = z.strictObject({
  logo: z
    .string()
    .max(MAX_LOGO_LENGTH)
    .regex(/^data:image\/png;base64,[A-Za-z0-9+/]+={0,2}$/, 'not a data URL of a PNG in base64')
    .meta({ description: 'A PNG of at most 128 KiB and 512 × 512 pixels, not interlaced, as a data URL.' }),
});

export type QrCodeLogo = z.output<typeof qrCodeLogo>;
