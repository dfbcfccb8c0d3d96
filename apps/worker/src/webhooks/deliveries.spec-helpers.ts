import type { ServerResponse } from 'node:http';

import type { WebhookStore } from '@hopcount/links';
import type { TestDatabase } from '@hopcount/testing';
import { expect } from '@jest/globals';

import type { Post } from './receiver.spec-helpers.js';

const answering = (status: number) => (_: Post, response: ServerResponse) => void response.writeHead(status).end();

interface Given {
  webhooks: WebhookStore;
  server: TestDatabase;
  /** Tells the webhook of a link. */
  create: () => Promise<unknown>;
  run: () => Promise<unknown>;
  /** To when it is tried again. */
  untilResumed: () => Promise<void>;
  make: () => Promise<{ webhook: { id: number } }>;
  /** What the receiver does from now on. */
  set: (answer: (post: Post, response: ServerResponse) => void) => unknown;
  /** Ids of what the receiver got. */
  ids: () => string[];
}

/** A receiver refuses an event, takes it, gets it again, then many more, and is disabled; what is said of them meanwhile. */
export async function expectDeliveries(given: Given): Promise<void> {
  const { webhooks } = given;
  const { id } = (await given.make()).webhook;
  const told = async () =>
    (await webhooks.deliveries(id)).map(({ state, attempts, answer }) => [state, attempts, answer]);
  await given.create();
  expect(await told()).toEqual([['waiting', 0, null]]);
  given.set(answering(500));
  await given.run();
  expect(await told()).toEqual([['retrying', 1, 'The receiver answered 500.']]);
  await given.untilResumed();
  given.set(answering(204));
  await given.run();
  expect(await told()).toEqual([['delivered', 2, 'The receiver answered 204.']]);
  const eventId = given.ids()[0]!;
  await webhooks.resend(id, eventId);
  expect(await told()).toEqual([['waiting', 2, 'The receiver answered 204.']]);
  await given.run();
  expect(given.ids()).toEqual([eventId, eventId, eventId]);
  const unknown = webhooks.resend(id, '00000000-0000-4000-8000-000000000000');
  await expect(unknown).rejects.toMatchObject({ code: 'webhook-delivery-not-found' });
  const more = `SELECT $1, '{"n":' || n || '}' FROM generate_series(1, 120) AS n`;
  await given.server.query(`INSERT INTO webhook_events (webhook_id, body) ${more}`, [id]);
  await given.run();
  expect([given.ids().length, (await told()).length]).toEqual([123, 100]);
  const count = 'SELECT count(*)::integer AS kept FROM webhook_deliveries';
  const [row] = await given.server.query<{ kept: number }>(count);
  // Those of one instant stay together, and four are posted at once.
  expect(row!.kept).toBeLessThanOrEqual(104);
  const [newest] = (await webhooks.deliveries(id)) as [{ eventId: string }, ...unknown[]];
  await webhooks.edit(id, { enabled: false });
  await expect(webhooks.resend(id, newest.eventId)).rejects.toMatchObject({ code: 'invalid-data' });
}
