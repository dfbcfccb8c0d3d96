import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { BUCKET_MS } from '@hopcount/contracts';
import { startSourceProcess } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { AlertsSpec, START } from './check-alerts.spec-helpers.js';

let spec: AlertsSpec;

beforeAll(async () => {
  spec = await AlertsSpec.open();
});
afterEach(() => spec.clear());
afterAll(() => spec.close());

const quarter = (nth: number) => START + nth * BUCKET_MS;

describe('a killed worker', () => {
  it.each(['alert-decided', 'alert-queued'])(
    'at %s has told nothing, and the next one tells it once',
    async (point) => {
      const failpoints = mkdtempSync(join(tmpdir(), 'failpoints-'));
      await spec.make('below', await spec.link(1));
      writeFileSync(join(failpoints, point), 'kill:1');
      const script = `
      import { armFailpoints, createLogger, Registry } from '@hopcount/runtime';
      import { Database } from '@hopcount/postgres';
      import { checkAlerts } from './apps/worker/src/alerts/check-alerts.js';
      import { createWorkerMetrics } from './apps/worker/src/worker.metrics.js';
      armFailpoints(process.env);
      const database = await Database.connect({ url: '${spec.server.url}', applicationName: 'killed' });
      const [counted, logger] = [{ measure: async () => ${quarter(2)} }, createLogger({ name: 'killed', level: 'silent' })];
      const job = checkAlerts({ config: {}, database, counted, metrics: createWorkerMetrics(new Registry()), logger }, () => ${quarter(2)});
      await job.work(new AbortController().signal);
      console.error('not killed');`;
      const child = startSourceProcess(script, { environment: { HOPCOUNT_FAILPOINTS: failpoints } });
      let output = '';
      child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const signal = await new Promise((resolve) => child.once('close', (_code, name) => resolve(name)));
      rmSync(failpoints, { recursive: true });
      expect([output, signal, await spec.told()]).toEqual(['', 'SIGKILL', []]);
      await spec.runAt(quarter(1));
      await spec.runAt(quarter(1));
      expect(await spec.told()).toEqual(['below@1']);
    },
  );

  it('and two that run at once tell it once', async () => {
    await spec.make('below', await spec.link(1));
    [spec.now, spec.countedUpTo] = [quarter(1) + 2 * 60_000, quarter(1) + 2 * 60_000];
    await Promise.all([spec.run(), spec.run(), spec.run()]);
    expect(await spec.told()).toEqual(['below@1']);
  });
});
