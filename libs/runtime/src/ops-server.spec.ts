import { waitUntil } from '@hopcount/testing';
import { afterEach, describe, expect, it } from '@jest/globals';

import { createLogger } from './logger.js';
import { Gauge } from './metrics.js';
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

  it('collects metrics once for clients that ask at the same time, and each gets the whole answer', async () => {
    const { url, registry } = await open();
    let collections = 0;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    new Gauge({
      name: 'collections',
      help: 'How often this was collected.',
      registers: [registry],
      async collect() {
        collections += 1;
        await finished;
        this.set(collections);
      },
    });
    const asked = Array.from({ length: 24 }, async () => (await fetch(`${url}/metrics`)).text());
    const isCollecting = () => Promise.resolve(collections > 0);
    await waitUntil(isCollecting, { describe: 'the first collection', timeoutMs: 10_000 });
    // Answered after the 24 requests had time to arrive, each on a connection of its own.
    for (let n = 0; n < 24; n += 1) await fetch(`${url}/livez`);
    finish();
    const texts = await Promise.all(asked);
    expect(new Set(texts).size).toBe(1);
    expect(texts[0]).toMatch(/^collections\{.*\} 1$/m);
    expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/^collections\{.*\} 2$/m);
  });

  it('collects metrics anew after a collection has failed', async () => {
    const { url, registry } = await open();
    let isBroken = true;
    new Gauge({
      name: 'fragile',
      help: 'Fails at first.',
      registers: [registry],
      collect() {
        if (isBroken) throw new Error('not available');
      },
    });
    const failed = await fetch(`${url}/metrics`);
    expect([failed.status, await failed.text()]).toEqual([500, 'not available\n']);
    isBroken = false;
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
  });

  it('tells the metrics of two processes of one kind apart', async () => {
    const texts = await Promise.all(
      ['gateway-1', 'gateway-2'].map(async (name) => (await fetch(`${(await open(name)).url}/metrics`)).text()),
    );
    expect(texts[0]).toContain('{process="gateway",process_name="gateway-1"}');
    expect(texts[1]).toContain('{process="gateway",process_name="gateway-2"}');
  });
});
