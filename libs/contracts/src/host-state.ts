import { z } from 'zod';

import { type DecodedEvent, decodeVersion1 } from './decode-event.js';
import { DIRECT_HOST, HOST_KINDS, REST_HOST, UNKNOWN_HOST } from './host-kind.js';
import { VISIT_CLASSES } from './visit-class.js';

/** What a data centre is called: stands in settings, records and answers. */
export const DATA_CENTRE = /^[a-z][a-z0-9-]{0,31}$/;

/** Peers a data centre may have. */
export const MAX_HOST_PEERS = 8;

/** What no name has: half a character, what ends a line or a word, and what would stand between a name and those below it. */
const UNNAMED = /[\p{Surrogate}\p{Cc}\s/]/u;
/** A B-tree of PostgreSQL takes 2,704 bytes, and JSON and keys say a name twice. */
const LONGEST_NAME_BYTES = 1_000;
const MOST_LABELS = 8;
/** Names of ours that stand alone, and roots of such that are none of the DNS. */
const ALONE: readonly string[] = [UNKNOWN_HOST, DIRECT_HOST, REST_HOST];
const ROOTS: readonly string[] = ['~ip', '~app'];
/** The end of the year 9999: later ones PostgreSQL and ISO 8601 write otherwise. */
const LAST_MS = 253_402_300_799_999;

/**
 * Whether a data centre may say a name, labels reversed: one like those that visits make, with `~` only where we put it. Else a peer could close
 * names of our own (`com.~rest.x` makes a `com.~rest`), or write lines of answers.
 */
export function isSayableHost(name: string): boolean {
  if (ALONE.includes(name)) return true;
  const labels = name.split('.');
  const [first = ''] = labels;
  const told = labels.at(-1) === REST_HOST ? labels.slice(0, -1) : labels;
  const dns = ROOTS.includes(first) && labels.length > 1 ? told.slice(1) : told;
  return (
    labels.length <= MOST_LABELS &&
    dns.every((label) => label !== '' && !label.includes('~')) &&
    !UNNAMED.test(name) &&
    new TextEncoder().encode(name).length <= LONGEST_NAME_BYTES
  );
}

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
  name: z.string().refine(isSayableHost, 'no name of a host'),
  class: z.enum(VISIT_CLASSES),
  /** Visits, and visits taken away: in an epoch both only grow. */
  p: z.int().nonnegative(),
  n: z.int().nonnegative(),
});

/** Everything it had counted by then stands before this record. */
const completeness = z.object({
  ...said,
  asOf: z.int().nonnegative().max(LAST_MS),
  /** Its sums as of then are without all that was purged; absent: an earlier version, which does not know. */
  isAttributed: z.boolean().optional(),
});

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
