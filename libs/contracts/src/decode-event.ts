import type { z } from 'zod';

import type { DeadLetterReason } from './topics.js';

export type DecodedEvent<Event> =
  { outcome: 'ok'; visit: Event } | { outcome: 'dead-letter'; reason: DeadLetterReason; detail: string };

/**
 * Bytes of a Kafka value → an event of version 1, or why it is not one. Never throws.
 * @param isPlain true of nothing that the schema would not take as it is: then the schema is not asked
 */
export function decodeVersion1<Event>(
  schema: z.ZodType<Event>,
  value: Buffer | null,
  isPlain?: (body: unknown) => body is Event,
): DecodedEvent<Event> {
  if (value === null || value.length === 0)
    return { outcome: 'dead-letter', reason: 'empty-value', detail: 'no value' };
  let body: unknown;
  try {
    body = JSON.parse(value.toString('utf8'));
  } catch (error) {
    return { outcome: 'dead-letter', reason: 'not-json', detail: (error as Error).message.slice(0, 200) };
  }
  if (isPlain !== undefined && isPlain(body)) return { outcome: 'ok', visit: body };
  const version = typeof body === 'object' && body !== null ? (body as { version?: unknown }).version : undefined;
  if (version !== 1 && typeof version === 'number') {
    return { outcome: 'dead-letter', reason: 'unsupported-version', detail: `version ${version}` };
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const detail = `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`.slice(0, 200);
    return { outcome: 'dead-letter', reason: 'schema-mismatch', detail };
  }
  return { outcome: 'ok', visit: parsed.data };
}
