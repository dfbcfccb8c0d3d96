import { BUCKET_MS } from '@hopcount/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';

import { AlertsSpec, START } from './check-alerts.spec-helpers.js';
import { checkAt, runKilled } from './killed-worker.spec-helpers.js';

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
      await spec.make('below', await spec.link(1));
      const killed = await runKilled(point, spec.server.url, checkAt(quarter(2)));
      expect([...killed, await spec.told()]).toEqual(['', 'SIGKILL', []]);
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
