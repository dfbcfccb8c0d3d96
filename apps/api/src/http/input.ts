import { AppError } from '@hopcount/runtime';
import { z } from 'zod';

const MAX_REASONS = 50;
const MAX_REASON_LENGTH = 200;

/**
 * The validated form of a body or query.
 * @throws AppError `invalid-data` with `invalidElements`, the names of the wrong top-level fields, and `reasons`
 */
export function parseInput<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.flatMap(reasonsOf).slice(0, MAX_REASONS);
  const invalidElements = [...new Set(wrong.map(({ path }) => cut(path[0] ?? 'body')))];
  const reasons = wrong.map(({ path, reason }) => ({ field: cut(path.join('.') || 'body'), reason: cut(reason) }));
  throw new AppError('invalid-data', `Some of the given data cannot be used: ${invalidElements.join(', ')}.`, {
    details: { invalidElements, reasons },
  });
}

function reasonsOf(issue: z.core.$ZodIssue): { path: PropertyKey[]; reason: string }[] {
  if (issue.code !== 'unrecognized_keys') return [{ path: issue.path, reason: issue.message }];
  return issue.keys.map((key) => ({ path: [...issue.path, key], reason: 'Unknown field' }));
}

/** Names and messages can repeat what the client sent, however long. */
function cut(text: PropertyKey): string {
  return String(text).slice(0, MAX_REASON_LENGTH);
}

/**
 * A query as zod sees it: `tags[]=a&tags[]=b` and `tags[0]=a` become `tags: ['a', 'b']`; of any other
 * name given several times the last one counts.
 */
export function normalizeQuery(query: unknown): Record<string, string | string[]> {
  // Without a prototype, `__proto__` is a name like any other.
  const result = Object.create(null) as Record<string, string | string[]>;
  for (const [key, value] of Object.entries((query ?? {}) as Record<string, string | string[]>)) {
    const list = /^([^[\]]+)\[\d*\]$/.exec(key)?.[1];
    if (list === undefined) result[key] = Array.isArray(value) ? (value.at(-1) ?? '') : value;
    else result[list] = [result[list] ?? [], value].flat();
  }
  return result;
}

/** PostgreSQL refuses U+0000 in a parameter, and half a surrogate pair would reach it as another character. */
const UNSTORABLE = /[\u0000\p{Cs}]/u;
export const isStorable = (value: string) => !UNSTORABLE.test(value);
const storable = z.string().refine(isStorable, 'broken characters');

/** A name or an array of names, as an array. */
export const queryList = z
  .union([storable, z.array(storable)])
  .optional()
  .transform((value) => (value === undefined ? [] : [value].flat().filter((item) => item !== '')));

const wholeNumber = z.string().regex(/^-?\d{1,9}$/, 'not a whole number');

/** Pages start at 1; anything below is the first. */
export const queryPage = wholeNumber.default('1').transform((value) => Math.max(1, Number(value)));

/** undefined when absent; below 1 stands for "all". */
export const queryItemsPerPage = wholeNumber
  .optional()
  .transform((value) => (value === undefined ? undefined : Number(value)));

/** undefined when absent. */
export const queryWholeNumber = (least: number, most: number) =>
  wholeNumber
    .transform(Number)
    .refine((value) => value >= least && value <= most, `not from ${least} to ${most}`)
    .optional();

export const queryFlag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((value) => value === 'true');

/** Whether CSV begins with a byte order mark. */
export const queryBom = z
  .enum(['true', 'false'])
  .default('true')
  .transform((value) => value === 'true')
  .meta({
    description:
      'CSV begins with a byte order mark, so that spreadsheets read it as UTF-8; `false` leaves it out. Ignored for other formats.',
  });

/** Empty is the same as absent. */
export const queryText = z
  .string()
  .max(2_048)
  .refine(isStorable, 'broken characters')
  .optional()
  .transform((value) => (value === undefined || value.trim() === '' ? null : value.trim()));

/** @throws AppError `invalid-data` */
export function parseQuery<Schema extends z.ZodType>(schema: Schema, query: unknown): z.output<Schema> {
  return parseInput(schema, normalizeQuery(query));
}
