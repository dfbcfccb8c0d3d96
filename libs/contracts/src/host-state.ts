import { z } from 'zod';

import { type DecodedEvent, decodeVersion1 } from './decode-event.js';
import { HOST_KINDS } from './host-kind.js';
import { VISIT_CLASSES } from './visit-class.js';

/** What a data centre is called: stands in settings, records and answers. */
export const DATA_CENTRE = /^[a-z][a-z0-9-]{0,31}$/;

/** Peers a data centre may have. */
export const MAX_HOST_PEERS = 8;

/** What PostgreSQL's texts cannot hold: half a character, and the character 0. */
const UNKEPT = /[\p{Surrogate}\0]/u;

const said = {
  version: z.literal(1),
  /** Whose it is; a record of another data centre is none of its topic. */
  dc: z.string().regex(DATA_CENTRE),
  /** Of its database: what a later one says counts, also when it is less. */
  epoch: z.int().nonnegative(),
};

/** All that a data centre ever counted of a host and class, not what is new of it. */
const hostSums = z.object({
  ...said,
  kind: z.enum(HOST_KINDS),
  /** As it is kept, labels reversed; its number differs from database to database. */
  name: z
    .string()
    .min(1)
    .max(1_000)
    .refine((text) => !UNKEPT.test(text), 'no text that can be kept'),
  class: z.enum(VISIT_CLASSES),
  /** Visits, and visits taken away: in an epoch both only grow. */
  p: z.int().nonnegative(),
  n: z.int().nonnegative(),
});

/** Everything it had counted by then stands before this record. */
const completeness = z.object({ ...said, asOf: z.int().nonnegative() });

/** A record of the topic in which a data centre says what it counted; the schema is never edited after release. */
const hostStateV1Schema = z.union([hostSums, completeness]);

export type HostSumsV1 = z.infer<typeof hostSums>;
export type HostStateV1 = z.infer<typeof hostStateV1Schema>;

/** Under which a compacted topic keeps the last one. */
export function hostStateKey(state: HostStateV1): string {
  return 'asOf' in state ? 'as-of' : `${state.kind} ${state.class} ${state.name}`;
}

/** Bytes of a Kafka value → a state, or why it is none. Never throws. */
export function decodeHostState(value: Buffer | null): DecodedEvent<HostStateV1> {
  return decodeVersion1(hostStateV1Schema, value);
}
