import { isDeepStrictEqual } from 'node:util';

import { AppError } from '@hopcount/runtime';
import { z } from 'zod';

type SentBack<Answer extends z.ZodRawShape, Taken extends PropertyKey> = {
  [Name in Exclude<keyof Answer, Taken>]: z.ZodOptional<Answer[Name]>;
};

const DESCRIPTION = 'Read-only: may be sent back as it was answered.';
const INSTANT = /^\d{4}-\d\d-\d\dT/;

/**
 * What an answer holds, a request takes: the fields of `answer` that a body does not change, to be spread into it before its own.
 * The handler holds them against the answer with {@link expectUnchanged}.
 */
export function sentBack<Answer extends z.ZodRawShape, Taken extends PropertyKey = never>(
  answer: z.ZodObject<Answer>,
  taken: Readonly<Record<Taken, unknown>>,
): SentBack<Answer, Taken> {
  const others = Object.entries(answer.shape).filter(([name]) => !Object.hasOwn(taken, name));
  return Object.fromEntries(
    others.map(([name, schema]) => [
      name,
      (schema as z.ZodType).optional().meta({ readOnly: true, description: DESCRIPTION }),
    ]),
  ) as unknown as SentBack<Answer, Taken>;
}

/**
 * @param taken what the request may change
 * @param counted what changes by itself between the answer and the request: any value of it is ignored
 * @throws AppError `read-only-field` that names those that differ from the answer
 */
export function expectUnchanged(
  given: object,
  answered: object,
  { taken, counted = [] }: { taken: object; counted?: readonly string[] },
): void {
  const current = answered as Readonly<Record<string, unknown>>;
  const differing = Object.entries(given).filter(
    ([name, value]) =>
      !Object.hasOwn(taken, name) && !counted.includes(name) && value !== undefined && !isSame(value, current[name]),
  );
  if (differing.length > 0) throw readOnly(differing.map(([name]) => name));
}

/**
 * What a creation takes of a body that may be a whole answer: `fields`. What only the answer has is left out.
 * @param fresh fields of the answer that say what the new thing is to be, with the only value it can have
 * @throws AppError `read-only-field` that names those of `fresh` with another value
 */
export function takenOf<Fields extends z.ZodRawShape>(
  given: object,
  fields: Fields,
  fresh: Readonly<Record<string, unknown>> = {},
): z.output<z.ZodObject<Fields>> {
  const entries = Object.entries(given);
  const wrong = entries.filter(([name, value]) => Object.hasOwn(fresh, name) && value !== fresh[name]);
  if (wrong.length > 0) {
    const names = wrong.map(([name]) => name);
    const reasons = names.map((field) => ({
      ...{ field, reason: `A new one can only have ${JSON.stringify(fresh[field])}: leave the field out` },
    }));
    const text = `These fields cannot be chosen when something is created: ${names.join(', ')}.`;
    throw new AppError('read-only-field', text, { details: { invalidElements: names, reasons } });
  }
  return Object.fromEntries(entries.filter(([name]) => Object.hasOwn(fields, name))) as z.output<z.ZodObject<Fields>>;
}

/** The body of a creation: `fields`, or a whole `answer`, of which {@link takenOf} takes them. */
export function creationOf<Answer extends z.ZodRawShape, Fields extends z.ZodRawShape>(
  answer: z.ZodObject<Answer>,
  fields: Fields,
  fresh?: Readonly<Record<string, unknown>>,
) {
  return z.strictObject({ ...sentBack(answer, fields), ...fields }).transform((given) => takenOf(given, fields, fresh));
}

/** @throws AppError `read-only-field` */
export function readOnly(fields: readonly string[]): AppError {
  const reason = 'It cannot be changed here: leave it out, or send it as it is answered';
  return new AppError('read-only-field', `These fields cannot be changed by this request: ${fields.join(', ')}.`, {
    details: { invalidElements: [...fields], reasons: fields.map((field) => ({ field, reason })) },
  });
}

/** Clients that know dates write the same moment in another spelling. */
function isSame(given: unknown, current: unknown): boolean {
  if (typeof given !== 'string' || typeof current !== 'string') return isDeepStrictEqual(given, current);
  return given === current || (INSTANT.test(current) && Date.parse(given) === Date.parse(current));
}
