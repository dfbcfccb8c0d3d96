import type { People } from '@hopcount/ledger';
import {
  AppError,
  clientAddress,
  createHashAddress,
  createHashVisitor,
  type HashKeys,
  KeyPeriods,
  readIpHash,
  VISITOR_COOKIE_SHAPE,
} from '@hopcount/runtime';

import type { CliConfig } from '../cli.config.js';
import { wrongUsage } from '../cli.errors.js';
import { readLocalSecrets } from '../local-secrets.js';

const DAY_MS = 86_400_000;
const LARGEST = 2n ** 63n;

export interface WhoOptions {
  cookie?: string;
  visitor?: string;
  address?: string;
  /** Start of a day, UTC. */
  day?: number;
}

export interface Meant {
  people: People;
  /** What their hashes were made with; undefined: they were given. */
  keys: HashKeys | undefined;
  /** When the key periods began that they are looked for in, but for the first one; ascending. */
  changes: readonly number[];
}

/** Who is meant, by the hashes that the ledger has of them. @throws AppError `wrong-usage`, `invalid-config` */
export function whoIsMeant({ cookie, visitor, address, day }: WhoOptions, config: CliConfig): Meant {
  if ([cookie, visitor, address].filter((given) => given !== undefined).length !== 1) {
    throw wrongUsage('Give one of --cookie, --visitor and --address.');
  }
  if ((address === undefined) !== (day === undefined)) throw wrongUsage('Give --address and --day together.');
  if (address !== undefined && day !== undefined) {
    if (day >= Date.now()) throw wrongUsage('--day has not begun yet.');
    const keys = hashKeysOf(config);
    const [hashAddress, exact] = [createHashAddress(keys), canonical(address)];
    const { hashes, changes } = ofEachPeriod(keys, (atMs) => readIpHash(hashAddress(exact, atMs)));
    return { people: { person: 'ip', hashes, fromMs: day, beforeMs: day + DAY_MS }, keys, changes };
  }
  if (visitor !== undefined && !isHash(visitor)) {
    throw wrongUsage('Give --visitor the number that the column visitor has.');
  }
  const ofAllTime = { person: 'visitor', fromMs: Number.NEGATIVE_INFINITY, beforeMs: Infinity } as const;
  if (visitor !== undefined) return { people: { ...ofAllTime, hashes: [visitor] }, keys: undefined, changes: [] };
  const keys = hashKeysOf(config);
  const [hashVisitor, key] = [createHashVisitor(keys), visitorKeyOf(cookie ?? '')];
  const { hashes, changes } = ofEachPeriod(keys, (atMs) => hashVisitor(key, atMs));
  return { people: { ...ofAllTime, hashes }, keys, changes };
}

/**
 * Of all time, also for a day alone: a visit whose gateway was set otherwise is found where it was made with any of these keys.
 * A day ahead: a gateway's clock may be.
 */
function ofEachPeriod({ keyPeriods }: HashKeys, hash: (atMs: number) => string | null) {
  const begun = { fromMs: Number.NEGATIVE_INFINITY, beforeMs: Date.now() + DAY_MS };
  const changes = keyPeriods.changes(begun);
  return { hashes: [begun.fromMs, ...changes].map((atMs) => hash(atMs) ?? ''), changes };
}

/** As gateways write it before they hash it. */
function canonical(address: string): string {
  const found = clientAddress(address, undefined, []);
  if (found === undefined) throw wrongUsage('Give --address an IPv4 or IPv6 address.');
  return found.address;
}

function visitorKeyOf(cookie: string): string {
  const key = VISITOR_COOKIE_SHAPE.exec(cookie.trim().replace(/^hc_visitor=/, ''))?.groups?.['visitorKey'];
  if (key === undefined) throw wrongUsage('Give --cookie the value of the cookie hc_visitor, whole.');
  return key;
}

function isHash(text: string): boolean {
  return /^-?\d{1,19}$/.test(text) && BigInt(text) < LARGEST && BigInt(text) >= -LARGEST;
}

/** Of the environment, else of the local stack in this data folder. @throws AppError `invalid-config` */
export function hashKeysOf(config: CliConfig): HashKeys {
  const { hopcountHashSecret, hopcountSecret, hashKeyRotations } = config;
  const hashing = hopcountHashSecret ?? hopcountSecret ?? readLocalSecrets(config)?.hopcountSecret;
  if (hashing !== undefined) return { hashing, keyPeriods: new KeyPeriods(hashKeyRotations) };
  throw new AppError(
    'invalid-config',
    'Set HOPCOUNT_SECRET, and HOPCOUNT_HASH_SECRET where the gateways have it: what is stored of a person is a hash with it.',
  );
}
