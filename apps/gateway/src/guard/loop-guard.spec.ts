import { describe, expect, it } from '@jest/globals';

import { nextHop } from './loop-guard.js';

const VISITOR = { visitorId: 'v', clientIpHash: null, setCookie: undefined };
const noted = (cookies: string, number: number) =>
  /^hc_hops=(\d)/.exec(nextHop(cookies, () => '/x', VISITOR, { number, isFlood: false }) ?? '')?.[1];

describe('how often a browser came back', () => {
  it('is told it from the second time on, and then at every gateway it meets', () => {
    expect([noted('', 1), noted('', 2)]).toEqual([undefined, '1']);
    expect([noted('hc_hops=1', 1), noted('hc_hops=4', 1), noted('hc_hops=5', 1)]).toEqual(['2', '5', '5']);
  });

  it('S5: ends a circle over three gateways, or over two other sites, before browsers give up after twenty redirects', () => {
    for (const [gateways, redirects] of [
      [3, 2],
      [1, 3],
    ] as const) {
      let cookie = '';
      let visits = 0;
      while (cookie !== 'hc_hops=5' && visits < 50) {
        const number = Math.floor(visits / gateways) + 1;
        const hops = noted(cookie, number);
        cookie = hops === undefined ? '' : `hc_hops=${hops}`;
        visits += 1;
      }
      expect([gateways, visits * redirects <= 20]).toEqual([gateways, true]);
    }
  });
});
