import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';

import { testApiKey, waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

const PATHS = [
  '/rest/v3/live?topic=https://shlink.io/new-visit',
  '/rest/v3/statistics/live/stream',
  '/rest/v3/hosts/alerts/stream',
];

/** Over HTTP; what each of them is told is for the specs of their hubs. */
describe('every stream of events of the api', () => {
  let api: TestApi;
  let key: { id: number; key: string };

  beforeAll(async () => {
    api = await TestApi.start();
    key = await testApiKey(api.database, { scopes: ['statistics:read'] });
  });
  afterAll(() => api.stop());

  const open = async (path: string, method = 'GET'): Promise<IncomingMessage> => {
    const headers = { 'x-api-key': key.key };
    const { token } = (await api.get('mercure-info', headers)).body as { token: string };
    const asked = request(`${api.url}${path}`, { method, headers: { ...headers, authorization: `Bearer ${token}` } });
    asked.end();
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    return response;
  };

  it('has one kind of head, also for HEAD, and ends for a revoked key whether its reader reads or not', async () => {
    for (const path of PATHS) {
      const { statusCode, headers } = (await open(path, 'HEAD')).resume();
      expect([path, statusCode, headers['content-type']]).toEqual([path, 200, 'text/event-stream']);
    }
    const streams = await Promise.all([...PATHS, ...PATHS].map((path) => open(path)));
    const ended = streams.map(() => false);
    for (const [nth, stream] of streams.entries()) {
      const head = [stream.statusCode, stream.headers['content-type'], stream.headers['cache-control']];
      expect(head).toEqual([200, 'text/event-stream', 'no-store']);
      stream.on('end', () => (ended[nth] = true));
      // The others read nothing until the key is revoked.
      if (nth < PATHS.length) stream.resume();
    }
    await api.database.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [key.id]);
    await waitUntil(() => PATHS.every((_, nth) => ended[nth]), { timeoutMs: 15_000, describe: 'the end' });
    const readers = () => api.operations('/metrics');
    await waitUntil(async () => /^hopcount_api_live_readers\{.*\} 0$/m.test(await readers()), {
      describe: 'no stream of those that read nothing is held',
    });
    for (const stream of streams) stream.resume();
    await waitUntil(() => ended.every(Boolean), { describe: 'the end of all' });
  });
});
