import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { createIdentifyDevice } from '@hopcount/links/visitors';
import { KeyPeriods, parseTrustedProxies } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { RequestOrigin } from '../redirect/request-origin.js';
import { describeAgent, readWithinLimit } from '../visits/describe-agent.js';
import { VisitorIdentifier, type VisitorRequest } from '../visits/identify-visitor.js';
import { RecentClicks } from '../visits/recent-clicks.js';
import type { RedirectRequest } from './exchange.js';
import { readHead } from './read-head.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const HEADS = 300;
const HEAD_BYTES = 16_000;
const NOW_MS = Date.UTC(2026, 10, 29);
const SECRET = 'a secret that is long enough for the tests';
const secrets = { signing: [SECRET] as const, hashing: SECRET, keyPeriods: new KeyPeriods() };
const visitors = () => new VisitorIdentifier(secrets);
const origin = () =>
  new RequestOrigin({
    ...{ trustedProxies: parseTrustedProxies(['127.0.0.1']), visitorIp: 'full', publicScheme: 'http' },
    defaultDomain: 'default.test',
  });

/** As large as the front reads, and like no other. */
function request(number: number, cookie: string): RedirectRequest {
  const lines = [
    'GET /abc HTTP/1.1',
    `Host: shop-number-${number}.example`,
    `User-Agent: Mozilla/5.0 (X11; Linux x86_64) Chrome/1412345678901234567890${number}.0`,
    `Accept-Language: de-CH,de;q=0.9,en-${number};q=0.8`,
    `X-Forwarded-For: 2001:db8:${number.toString(16)}:1:2:3:4:5`,
    `Cookie: ${cookie}`,
    'X-Padding: ',
  ];
  const head = readHead(Buffer.from(`${lines.join('\r\n').padEnd(HEAD_BYTES, 'x')}\r\n\r\n`));
  if (head === undefined) throw new Error('The front does not read it.');
  return { ...head, socket: { remoteAddress: '127.0.0.1', destroyed: false } };
}

function visitorRequest({ headers }: RedirectRequest): VisitorRequest {
  const { 'user-agent': userAgent = '', 'accept-language': acceptLanguage = '', cookie } = headers;
  const more = { domain: 'a.test', doNotTrack: false, secure: false, nowMs: NOW_MS };
  return { address: undefined, userAgent, acceptLanguage, cookieHeader: cookie, ...more };
}

/** A valid one for each visitor, as a client can collect them. */
function collectCookies(): string[] {
  const from = visitors();
  return Array.from({ length: HEADS }, (_, number) => {
    const { setCookie } = from.identify(visitorRequest(request(number, 'none')));
    return Buffer.from(setCookie?.split(';')[0] ?? '').toString();
  });
}

type Keep = (request: RedirectRequest) => unknown;

/** What remembers something of requests, and how it is given one. */
const MEMORIES: Record<string, () => Keep> = {
  'the host': () => {
    const by = origin();
    return (asked) => by.host(asked);
  },
  'the visitor of an agent': () => {
    const by = visitors();
    return (asked) => by.keyOf({ ...visitorRequest(asked), cookieHeader: undefined });
  },
  'the visitor of a cookie': () => {
    const by = visitors();
    return (asked) => by.identify(visitorRequest(asked));
  },
  'the hash of an address': () => {
    const [by, from] = [visitors(), origin()];
    return (asked) => by.hashAddress(from.address(asked), NOW_MS);
  },
  'how often a client came': () => {
    const [by, from] = [new RecentClicks(1), origin()];
    return (asked) => by.note('1', from.address(asked), NOW_MS);
  },
  'the device of an agent': () => {
    const by = createIdentifyDevice();
    return ({ headers }) => by(describeAgent(headers, readWithinLimit));
  },
};

describe('a gateway', () => {
  const cookies = collectCookies();

  it.each(Object.entries(MEMORIES))('remembers %s, and lets go of the rest of the head', (_, open) => {
    const keep = open();
    collectGarbage();
    const before = process.memoryUsage().heapUsed;
    for (const [number, cookie] of cookies.entries()) keep(request(number, cookie));
    collectGarbage();
    const bytesEach = (process.memoryUsage().heapUsed - before) / HEADS;
    // Its memory is still there.
    keep(request(0, 'none'));
    expect(bytesEach).toBeLessThan(HEAD_BYTES / 4);
  });
});
