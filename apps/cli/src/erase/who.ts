import type { People } from '@hopcount/ledger';
import {
  addressKey,
  AppError,
  clientAddress,
  createHashVisitor,
  hashAddress,
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
    const hash = readIpHash(hashAddress(addressKey(hashSecretOf(config)), canonical(address)));
    return { person: 'ip', hashes: [hash ?? ''], fromMs: day, beforeMs: day + DAY_MS };
  }
  const hash = visitor ?? createHashVisitor(hashSecretOf(config))(visitorKeyOf(cookie ?? '')) ?? '';
  if (!isHash(hash)) throw wrongUsage('Give --visitor the number that the column visitor has.');
  return { person: 'visitor', hashes: [hash], fromMs: Number.NEGATIVE_INFINITY, beforeMs: Infinity };
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

function hashSecretOf({ hopcountHashSecret, hopcountSecret }: CliConfig): string {
  const secret = hopcountHashSecret ?? hopcountSecret;
  if (secret !== undefined) return secret;
  throw new AppError(
    'invalid-config',
    'Set HOPCOUNT_SECRET, and HOPCOUNT_HASH_SECRET where the gateways have it: what is stored of a person is a hash with it.',
  );
}
