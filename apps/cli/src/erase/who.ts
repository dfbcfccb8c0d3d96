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

const DAY_MS = 86_400_000;
const LARGEST = 2n ** 63n;

export interface WhoOptions {
  cookie?: string;
  visitor?: string;
  address?: string;
  /** Start of a day, UTC. */
  day?: number;
}

/** Who is meant, by the hashes that the ledger has of them. @throws AppError `wrong-usage`, `invalid-config` */
export function whoIsMeant({ cookie, visitor, address, day }: WhoOptions, config: CliConfig): People {
  if ([cookie, visitor, address].filter((given) => given !== undefined).length !== 1) {
    throw wrongUsage('Give one of --cookie, --visitor and --address.');
  }
  if ((address === undefined) !== (day === undefined)) throw wrongUsage('Give --address and --day together.');
  if (address !== undefined && day !== undefined) {
    if (day >= Date.now()) throw wrongUsage('--day has not begun yet.');
    // Keys change between days.
    const hash = readIpHash(createHashAddress(hashKeysOf(config))(canonical(address), day));
    return { person: 'ip', hashes: [hash ?? ''], fromMs: day, beforeMs: day + DAY_MS };
  }
  if (visitor !== undefined && !isHash(visitor)) {
    throw wrongUsage('Give --visitor the number that the column visitor has.');
  }
  const hashes = visitor === undefined ? hashesOf(visitorKeyOf(cookie ?? ''), hashKeysOf(config)) : [visitor];
  return { person: 'visitor', hashes, fromMs: Number.NEGATIVE_INFINITY, beforeMs: Infinity };
}

/** One of each key period so far. */
function hashesOf(visitorKey: string, keys: HashKeys): string[] {
  const hashVisitor = createHashVisitor(keys);
  const begun = keys.keyPeriods.changes({ fromMs: Number.NEGATIVE_INFINITY, beforeMs: Date.now() });
  return [Number.NEGATIVE_INFINITY, ...begun].map((atMs) => hashVisitor(visitorKey, atMs) ?? '');
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

function hashKeysOf({ hopcountHashSecret, hopcountSecret, hashKeyRotations }: CliConfig): HashKeys {
  const hashing = hopcountHashSecret ?? hopcountSecret;
  if (hashing !== undefined) return { hashing, keyPeriods: new KeyPeriods(hashKeyRotations) };
  throw new AppError(
    'invalid-config',
    'Set HOPCOUNT_SECRET, and HOPCOUNT_HASH_SECRET where the gateways have it: what is stored of a person is a hash with it.',
  );
}
