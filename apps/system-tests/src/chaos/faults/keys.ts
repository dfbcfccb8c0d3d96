import { setTimeout as sleep } from 'node:timers/promises';

import { freePorts, waitUntil } from '@hopcount/testing';

import { environmentOf } from '../../harness/environment-of.js';
import { KeyUser } from '../../harness/key-user.js';
import { LinksApi } from '../../harness/links.js';
import { type ProcessBeside, startBeside } from '../../harness/process-beside.js';
import type { Fault } from '../fault.js';
import type { World } from '../world.js';
import { pidsOf, waitUntilReplaced } from './processes.js';
import { whenAnswered } from './when-answered.js';

/** What a revocation promises, whatever fails. */
const REVOKED_WITHIN_MS = 5_000;
const USED_WITHIN_MS = 60_000;
/** Of each process, before and after. */
const USES = 8;

/**
 * A key that two api processes know is revoked at one of them while Redis is away; now and then that one is killed at once. Five
 * seconds later it opens nothing anywhere. Until it is revoked it works, and so does another one all the time.
 */
const revokedKey: Fault = {
  name: 'revoked-key',
  rows: ['keys'],
  topology: 'single',
  inject: async (world) => {
    const { stack, random } = world;
    const api = new LinksApi(stack.file);
    const beside = await apiBeside(world);
    const urls = [stack.file.apiUrl, beside.url];
    const [key, kept] = [await makeKey(api), await makeKey(api)];
    const [user, keeper] = [new KeyUser(urls, key.apiKey), new KeyUser(urls, kept.apiKey)];
    const hasWorked = (one: KeyUser, sinceMs: number) =>
      waitUntil(() => urls.every((url) => one.accepted(url, sinceMs) >= USES), {
        timeoutMs: USED_WITHIN_MS,
        describe: 'a key works at every api process',
      });
    try {
      await beside.ready();
      user.start();
      keeper.start();
      await hasWorked(user, 0);
      await stack.hold('redis');
      await hasWorked(user, Date.now());
      const askedMs = Date.now();
      await whenAnswered('a key is revoked', () => api.revokeKey(key.id));
      const deadlineMs = Date.now() + REVOKED_WITHIN_MS;
      const apis = await pidsOf(world, 'api');
      if (random() < 0.5) {
        for (const pid of apis) process.kill(pid, 'SIGKILL');
        await waitUntilReplaced(world, 'api', apis, apis);
      }
      await sleep(Math.max(0, deadlineMs - Date.now()));
      const answered = (url: string) => user.refused(url, deadlineMs) + user.accepted(url, deadlineMs);
      await waitUntil(() => urls.every((url) => answered(url) >= USES), {
        timeoutMs: USED_WITHIN_MS,
        describe: 'every api process is asked again',
      });
      await hasWorked(keeper, deadlineMs);
      const opened = urls.reduce((sum, url) => sum + user.accepted(url, deadlineMs), 0);
      if (opened > 0) throw new Error(`${opened} requests with a revoked key were answered after five seconds`);
      const early = urls.reduce((sum, url) => sum + user.refused(url, 0, askedMs) + keeper.refused(url, 0), 0);
      if (early > 0) throw new Error(`${early} requests with a key that was not revoked were refused`);
    } finally {
      await Promise.all([user.stop(), keeper.stop(), beside.stop()]);
      await stack.resume('redis');
    }
    const count = urls.reduce((sum, url) => sum + user.refused(url, 0), 0);
    return { proof: () => Promise.resolve({ what: 'requests with a revoked key refused, Redis away', count }) };
  },
};

async function apiBeside(world: World): Promise<ProcessBeside & { url: string }> {
  const [pid = 0] = await pidsOf(world, 'api');
  const [port] = await freePorts(1);
  const beside = await startBeside('api', { ...environmentOf(pid), API_PORT: String(port) });
  return { ...beside, url: `http://127.0.0.1:${port}` };
}

let made = 0;
/** Each try under another name: one whose answer was lost may have made its key. */
function makeKey(api: LinksApi): Promise<{ id: string; apiKey: string }> {
  return whenAnswered('a key is made', () => api.makeKey(`chaos-${(made += 1)}`));
}

export const KEY_FAULTS: Fault[] = [revokedKey];
