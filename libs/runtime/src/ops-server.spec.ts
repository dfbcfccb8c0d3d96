import { afterEach, describe, expect, it } from '@jest/globals';

import { createLogger } from './logger.js';
import { Operations } from './ops-server.js';

const logger = createLogger({ name: 'spec', level: 'silent' });

describe('the operations port', () => {
  const opened: Operations[] = [];
  const open = async (name?: string) => {
    const settings = { opsHost: '127.0.0.1', opsPort: 0, processName: name, hopcountVersion: '1.2.3' };
    const operations = await Operations.open(settings, { process: 'gateway', logger });
    opened.push(operations);
    return operations;
  };
  afterEach(() => opened.splice(0).forEach((operations) => operations.close()));

  it('gives the reason why a process is not ready', async () => {
    const { url, health } = await open();
    const starting = await fetch(`${url}/readyz`);
    expect([starting.status, await starting.json()]).toMatchObject([
      503,
      { checks: { process: { detail: 'starting' } } },
    ]);
    health.started();
    health.addReadiness('redis', () => ({ status: 'warn', detail: 'away' }));
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toMatchObject([200, { checks: { redis: { detail: 'away' } } }]);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/other`)).status).toBe(404);
  });

  it.each(['/livez', '/readyz', '/metrics', '/other'])(
    'tells browsers to do nothing with %s, and no version',
    async (path) => {
      const { headers } = await fetch(`${(await open()).url}${path}`);
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      });
      expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null]);
    },
  );

  it('says which version runs, in health and metrics', async () => {
    const { url, health } = await open();
    health.started();
    expect(await (await fetch(`${url}/readyz`)).json()).toMatchObject({ status: 'pass', version: '1.2.3' });
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^hopcount_build_info\{version="1.2.3",.*\} 1$/m);
  });

  it('tells the metrics of two processes of one kind apart', async () => {
    const texts = await Promise.all(
      ['gateway-1', 'gateway-2'].map(async (name) => (await fetch(`${(await open(name)).url}/metrics`)).text()),
    );
    expect(texts[0]).toContain('{process="gateway",process_name="gateway-1"}');
    expect(texts[1]).toContain('{process="gateway",process_name="gateway-2"}');
  });
});
