import { testApiKey, waitUntil } from '@hopcount/testing';
import { afterEach, describe, expect, it } from '@jest/globals';

import { type Answer, TestApi } from '../api.spec-helpers.js';

let api: TestApi;
afterEach(() => api.stop());

const HEALTH = ['/livez', '/readyz', '/rest/health', '/rest/v3/health'];

function expectRefused({ status, headers, body }: Answer): void {
  expect([status, body['type']]).toEqual([503, 'urn:hopcount:problem:service-unavailable']);
  expect(headers.get('retry-after')).toBe('1');
}

const shedOf = async (reason: string) =>
  Number(
    new RegExp(`hopcount_requests_shed_total{reason="${reason}"[^}]*} (\\d+)`).exec(
      await api.operations('/metrics'),
    )?.[1],
  );

describe('an api', () => {
  it('with a ceiling refuses what is above it, of all keys together, and no health', async () => {
    api = await TestApi.start({ MAX_REQUESTS_PER_SECOND: '2' });
    const keys = [await testApiKey(api.database), await testApiKey(api.database)].map(({ key }) => key);
    const ofKey = (key = '') => Promise.all(Array.from({ length: 20 }, () => api.get('tags', { 'x-api-key': key })));
    const answers = (await Promise.all(keys.map(ofKey))).flat();
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(10);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(2);
    refused.forEach(expectRefused);
    for (const path of HEALTH) expect([path, (await api.request('GET', path)).status]).toEqual([path, 200]);
    expect(await shedOf('ceiling')).toBe(refused.length);
    await waitUntil(async () => (await api.get('tags')).status === 200, { describe: 'admitted again' });
  });

  it('that requests wait too long for refuses a part of them before it looks at their keys, and no health', async () => {
    api = await TestApi.start({ SHED_ABOVE_DELAY_MS: '100' });
    let isBusy = true;
    const turn = () => {
      const untilMs = performance.now() + 250;
      while (performance.now() < untilMs);
      if (isBusy) setImmediate(turn);
    };
    turn();
    let answer: Answer | undefined;
    const isRefused = async () => {
      answer = await api.get('tags', { 'x-api-key': 'no key' });
      return answer.status !== 401;
    };
    await waitUntil(isRefused, { describe: 'one is refused', timeoutMs: 60_000 });
    expectRefused(answer!);
    const refused = await shedOf('delay');
    // Not ready is what it may be when it is as busy; it says so itself.
    for (const path of [...HEALTH, ...HEALTH, ...HEALTH]) await api.request('GET', path);
    expect(await shedOf('delay')).toBe(refused);
    isBusy = false;
    const isAdmitted = async () => {
      // Of one key a few are answered at once, whatever admission says.
      const answers = await Promise.all(Array.from({ length: 5 }, () => api.get('tags')));
      return answers.every(({ status }) => status === 200);
    };
    await waitUntil(isAdmitted, { describe: 'all are admitted', timeoutMs: 60_000 });
  });
});
