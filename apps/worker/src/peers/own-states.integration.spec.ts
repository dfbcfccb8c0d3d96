import type { HostStateV1 } from '@hopcount/contracts';
import { createLogger } from '@hopcount/runtime';
import { testTopic, waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { OwnStates } from './own-states.js';

it('the topic of states is made again when it was deleted, and is empty', async () => {
  const topic = await testTopic({ label: 'states' });
  await topic.configure({ 'cleanup.policy': 'compact' });
  const logger = createLogger({ name: 'spec', level: 'silent' });
  const states = new OwnStates({ brokers: topic.brokers, clientId: 'spec', logger }, topic.name);
  const state: HostStateV1 = { version: 1, dc: 'b', epoch: 1, kind: 'target', name: 'com', class: 'human', p: 1, n: 0 };
  expect(await states.publish([state, state])).toBe(0n);
  expect(await states.end()).toBe(2n);
  await topic.delete();
  const end = () => states.end().catch(() => undefined);
  await waitUntil(async () => (await end()) === 0n, { timeoutMs: 60_000, describe: 'the topic is there again' });
  // A job that fails tries again.
  const publish = () => states.publish([state]).catch(() => undefined);
  await waitUntil(async () => (await publish()) !== undefined, { timeoutMs: 60_000, describe: 'a state is published' });
  expect(await states.end()).toBeGreaterThan(0n);
  await states.close();
  await (await testTopic({ name: topic.name })).delete();
}, 120_000);
