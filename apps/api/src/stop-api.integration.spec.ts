import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

import { Database } from '@hopcount/postgres';
import { waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { TestApi } from './api.spec-helpers.js';
import { stopApi } from './stop-api.js';

let api: TestApi;
let sockets: Socket[];

beforeEach(async () => {
  api = await TestApi.start();
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await api.database.drop();
});

/** A connection the server has accepted: one that came later is already answered. */
async function open(firstBytes = ''): Promise<Socket> {
  const { port, hostname } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  if (firstBytes !== '') socket.write(firstBytes);
  expect((await api.get('short-urls/nope')).status).toBe(404);
  return socket;
}

async function hasNoSessions(): Promise<boolean> {
  const sessions = await api.database.query(
    `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'hopcount-api'`,
  );
  return sessions.length === 0;
}

describe('stopping', () => {
  it.each([
    ['never asked anything', ''],
    ['never finished asking', 'GET /livez HTTP/1.1\r\nhost: a\r\n'],
  ])('does not wait for a connection that %s, and closes the resources', async (_, firstBytes) => {
    const closed = once(await open(firstBytes), 'close');
    expect(await hasNoSessions()).toBe(false);
    await stopApi(api.app, api.resources, { lastAnswersMs: 200 });
    await closed;
    expect((await api.resources.health.ready()).status).toBe('fail');
    await waitUntil(hasNoSessions, { describe: 'PostgreSQL has seen the sessions end' });
  });

  it('answers requests under way before it closes anything', async () => {
    let release = () => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    let hold = () => {};
    const held = new Promise<void>((resolve) => (hold = resolve));
    // Of another program: the api's own pool ends, as soon as the request that waits has been answered.
    const others = await Database.connect({ url: api.database.url, applicationName: 'spec' });
    const other = others.transaction(async (tx) => {
      await tx.query('LOCK TABLE links IN ACCESS EXCLUSIVE MODE');
      hold();
      await released;
    });
    await held;
    const answer = api.get('short-urls/nope');
    const waiting = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    await waitUntil(async () => (await api.database.query(waiting)).length > 0, { describe: 'the request waits' });
    const stopped = stopApi(api.app, api.resources, { lastAnswersMs: 60_000 });
    await waitUntil(() => !api.app.getHttpServer().listening, { describe: 'it takes no connection any more' });
    release();
    await other;
    expect((await answer).status).toBe(404);
    await stopped;
    await others.close();
    await waitUntil(hasNoSessions, { describe: 'PostgreSQL has seen the sessions end' });
  });

  it('lets go of the resources also when the application cannot be closed', async () => {
    const broken = Object.create(api.app, {
      close: { value: () => Promise.reject(new Error('broken')) },
    }) as typeof api.app;
    await expect(stopApi(broken, api.resources)).rejects.toThrow('broken');
    await waitUntil(hasNoSessions, { describe: 'PostgreSQL has seen the sessions end' });
    await api.app.close();
  });
});
