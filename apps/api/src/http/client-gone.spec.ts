import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { clientGone } from './client-gone.js';

describe('a client that leaves', () => {
  const server = createServer();
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => void server.close());

  it('is gone for whoever works for it, and for whoever begins to afterwards', async () => {
    const asked = once(server, 'request') as Promise<[unknown, ServerResponse]>;
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.write('GET / HTTP/1.1\r\nhost: x.test\r\n\r\n');
    const [, raw] = await asked;
    const before = clientGone({ raw });
    expect(before.aborted).toBe(false);
    const closed = once(raw, 'close');
    client.destroy();
    await closed;
    expect([before.aborted, clientGone({ raw }).aborted]).toEqual([true, true]);
  });
});
