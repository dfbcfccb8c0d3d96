import { z } from 'zod';

import { type DecodedEvent, decodeVersion1 } from './decode-event.js';

/** How long the Idempotency-Key of a batch is known: longer than Kafka keeps its record, or a letter made of it. */
export const HOST_BATCH_DAYS = 35;

/** How long its counts are known, by which it can be reversed: as long as Kafka keeps its record. */
export const HOST_BATCH_REVERSIBLE_DAYS = 7;

export const MAX_COUNT_LINES = 10_000;
/** Of one line. */
export const MAX_COUNT = 1_000_000_000_000;

/** Labels reversed, the first 8 of them; addresses below `~ip`: as hosts are kept. */
const NAME = /^(?:~ip\.[0-9a-f:.-]{2,45}|[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63}){0,7})$/;

/** A batch of counts of hosts from elsewhere, as it is published; the schema is never edited after release. */
export const hostCountsV1Schema = z
  .object({
    version: z.literal(1),
    /** Whose: `key 7`, `user 3`. With `key` it names the batch, which counts once. */
    stream: z.string().regex(/^[a-z]+ \d+$/),
    /** The Idempotency-Key. */
    key: z.string().regex(/^[\x20-\x7e]{1,255}$/),
    /** SHA-256 of what is counted, in hex. */
    bodyHash: z.string().regex(/^[0-9a-f]{64}$/),
    /** When the api took it, epoch milliseconds UTC: the time it counts at. */
    acceptedAt: z.int().nonnegative(),
    /** One may come several times. */
    names: z.array(z.string().regex(NAME)).min(1).max(MAX_COUNT_LINES),
    /** Of each name. */
    counts: z.array(z.int().positive().max(MAX_COUNT)),
  })
  .refine(({ names, counts }) => names.length === counts.length, 'as many counts as names');

export type HostCountsV1 = z.infer<typeof hostCountsV1Schema>;

/** Bytes of a Kafka value → a batch, or why it is none. Never throws. */
export function decodeHostCounts(value: Buffer | null): DecodedEvent<HostCountsV1> {
  return decodeVersion1(hostCountsV1Schema, value);
}

const instant = z.iso.datetime();

export const hostBatchSchema = z
  .strictObject({
    key: z.string().meta({ description: 'The Idempotency-Key it came with.' }),
    state: z.enum(['accepted', 'counted', 'refused', 'reversed', 'withdrawn']).meta({
      description:
        '`accepted`: it will be counted, or was answered 503 (send it again); `refused`: all that was ever fed would pass 2^52, so nothing of it counts; `reversed`: it does not count any more; `withdrawn`: it was to be taken away before it was counted, and never will be.',
    }),
    lines: z.int(),
    visits: z.int(),
    acceptedAt: instant.meta({ description: 'The time that it counts at.' }),
    countedAt: instant.nullable(),
    reversedAt: instant.nullable(),
  })
  .meta({ id: 'HostBatch' });

export type HostBatch = z.infer<typeof hostBatchSchema>;
