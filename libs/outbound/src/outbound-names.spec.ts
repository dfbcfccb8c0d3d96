import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestDns } from './outbound.spec-helpers.js';
import { OutboundFetcher } from './outbound-fetcher.js';

let dns: TestDns;
let fetcher: OutboundFetcher;

beforeAll(async () => {
  dns = await TestDns.start({});
  fetcher = new OutboundFetcher({ userAgent: 'Spec/1', allowPrivate: false, dnsServers: [dns.address] });
});
afterAll(() => dns.stop());

describe('a name that is not one of the public internet', () => {
  it.each([
    ...['a.svc', 'api.prod.svc.cluster.local', 'a.onion', 'a.test', 'A.TEST.', 'a.example', 'a.invalid', 'a.internal'],
    ...['router', 'a.home.arpa'],
  ])('S17, S18: %s is refused for gets and posts, and the DNS is not asked', async (host) => {
    const refused = { code: 'outbound-refused', details: { reason: 'private-name' } };
    await expect(fetcher.get(`http://${host}/`, { accept: '*/*' })).rejects.toMatchObject(refused);
    await expect(fetcher.post(`https://${host}/`, { headers: {}, body: '{}' })).rejects.toMatchObject(refused);
    expect(dns.questions).toEqual([]);
  });

  it('is asked where private targets are allowed', async () => {
    const open = new OutboundFetcher({ userAgent: 'Spec/1', allowPrivate: true, dnsServers: [dns.address] });
    await expect(open.get('http://a.svc/', { accept: '*/*' })).rejects.toMatchObject({
      details: { reason: 'unknown-host' },
    });
    expect(dns.questions).toContain('a.svc');
  });
});
