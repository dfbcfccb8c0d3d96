import type { IncomingMessage } from 'node:http';

import { clientAddress, parseTrustedProxies } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { RequestOrigin } from './request-origin.js';

const PROXY = '10.0.0.1';
const CLIENT = '203.0.113.9';
const FORWARDED = { 'x-forwarded-for': '198.51.100.7', 'x-forwarded-proto': 'https' };

describe('RequestOrigin', () => {
  const trustedProxies = parseTrustedProxies(['10.0.0.0/8']);
  const origin = new RequestOrigin({
    ...{ trustedProxies, visitorIp: 'full', publicScheme: 'http' },
    defaultDomain: 'default.test',
  });
  const tell = (remoteAddress: string | undefined, headers: Record<string, string> = {}) => {
    const request = { socket: { remoteAddress }, headers } as unknown as IncomingMessage;
    return [origin.address(request)?.address, origin.scheme(request), origin.host(request)];
  };

  it.each(['asked first', 'asked again'])('believes a proxy and nobody else, %s', () => {
    expect(tell(CLIENT, FORWARDED)).toEqual([CLIENT, 'http', 'default.test']);
    expect(tell(PROXY, FORWARDED)).toEqual(['198.51.100.7', 'https', 'default.test']);
    expect(tell(PROXY, { ...FORWARDED, 'x-forwarded-for': '198.51.100.8' })[0]).toBe('198.51.100.8');
    expect(tell(PROXY)).toEqual([PROXY, 'http', 'default.test']);
    expect(tell(undefined, FORWARDED)).toEqual([undefined, 'http', 'default.test']);
  });

  it('reads the header of a proxy once a request, as it is', () => {
    const hops = fc.array(fc.constantFrom('198.51.100.7', '2001:db8::7', ' 10.0.0.2', PROXY, '[::1]:443', 'none', ''));
    const requests = fc.array(fc.tuple(fc.constantFrom(PROXY, CLIENT, '10.9.9.9', undefined), hops));
    const isOfEach = fc.property(requests, (asked) => {
      for (const [remoteAddress, forwarded] of asked) {
        const header = forwarded.join(',');
        const request = { socket: { remoteAddress, destroyed: false }, headers: { 'x-forwarded-for': header } };
        const found = origin.address(request);
        expect(found).toEqual(clientAddress(remoteAddress, header, trustedProxies));
        expect(origin.address(request)).toBe(found);
      }
    });
    fc.assert(isOfEach);
  });

  it.each(['asked first', 'asked again'])('takes the default port off by the scheme that was used, %s', () => {
    const host = (given: string, headers = {}) => tell(PROXY, { host: given, ...headers })[2];
    expect([host('a.test:443'), host('a.test:443', FORWARDED)]).toEqual(['a.test:443', 'a.test']);
    expect([host('a.test:80'), host('a.test:80', FORWARDED)]).toEqual(['a.test', 'a.test:80']);
    expect([host('A.Test.'), host('sa.test', FORWARDED)]).toEqual(['a.test', 'sa.test']);
  });
});
