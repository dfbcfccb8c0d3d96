import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { GatewayGround, insertLink, TEST_DOMAIN, type TestGateway, visitsIn } from './gateway.spec-helpers.js';

describe('redirects that a CDN may keep', () => {
  let ground: GatewayGround;
  let usual: TestGateway;
  let cached: TestGateway;

  beforeAll(async () => {
    ground = await GatewayGround.open();
    for (const [code, settings] of Object.entries({
      permanent: { redirect_status: 301 },
      temporary: {},
      ending: { redirect_status: 308, valid_until: '2100-01-01Z' },
      warned: { redirect_status: 301, warn: true },
    })) {
      await insertLink(ground.database, { code, settings });
    }
    usual = await ground.start();
    cached = await ground.start({ CDN_CACHE_SECONDS: '60' });
  });
  afterAll(() => ground.close());

  const headersOf = async (gateway: TestGateway, code: string, method = 'GET') => {
    const { headers } = await gateway.ask(`/${code}`, { method, headers: { host: TEST_DOMAIN } });
    return [headers['cdn-cache-control'], headers['cache-control'], headers['set-cookie'] !== undefined];
  };
  const BROWSERS = 'private, max-age=30';

  it('are none unless it is set: a visit that a cache answers is never seen', async () => {
    expect(await headersOf(usual, 'permanent')).toEqual([undefined, BROWSERS, true]);
  });

  it('are permanent ones, for so long, and carry the cookie of no visitor', async () => {
    const before = (await visitsIn(ground.topics.visits)).length;
    expect(await headersOf(cached, 'permanent')).toEqual(['public, max-age=60', BROWSERS, false]);
    expect(await visitsIn(ground.topics.visits)).toHaveLength(before + 1);
  });

  it.each(['temporary', 'ending'])('are not those whose next visit may be decided otherwise: %s', async (code) => {
    expect(await headersOf(cached, code)).toEqual([undefined, 'private, no-store', true]);
  });

  it('are no answers to HEAD, which are no visits, and no pages', async () => {
    expect(await headersOf(cached, 'permanent', 'HEAD')).toEqual([undefined, BROWSERS, false]);
    expect(await headersOf(cached, 'warned')).toEqual([undefined, 'no-store', false]);
    expect(await headersOf(cached, 'none')).toEqual([undefined, 'no-store', false]);
  });
});
