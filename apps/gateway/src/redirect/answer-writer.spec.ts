import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, Histogram } from '@hopcount/runtime';

import { GatewayTally } from '../gateway.metrics.js';
import { AnswerWriter, type Sent } from './answer-writer.js';

const SENT: Sent = { status: 302, location: 'https://example.com/a?b=c#d', cacheControl: 'private, no-store' };
const COOKIES = [
  'x-visit-id',
  '019a0000-1234-7000-8000-0000000000ff',
  'set-cookie',
  'a=1; Path=/',
  'set-cookie',
  'b=2',
];
const GET = 'GET / HTTP/1.1\r\nhost: a\r\n\r\n';

describe('AnswerWriter', () => {
  const health = { isDraining: false };
  const duration = new Histogram({ name: 'answer_seconds_of_the_test', help: 'x', registers: [] });
  let tally: GatewayTally;
  let sent: Sent;
  let scheme: 'http' | 'https';
  let more: string[];
  let server: Server;

  beforeEach(async () => {
    tally = new GatewayTally(duration);
    [sent, more, health.isDraining, scheme] = [SENT, COOKIES, false, 'http'];
    const logger = createLogger({ name: 'spec', level: 'silent' });
    const answers = new AnswerWriter({ tally, health, logger, origin: { scheme: () => scheme } });
    server = createServer((request, response) => {
      if (request.url === '/set') response.setHeader('x-before', '1');
      try {
        answers.redirect(request, response, sent, more);
      } catch (error) {
        answers.defect(request, response, error);
      }
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(() => void server.close());

  /** Whole answers of one connection, without their dates. */
  async function ask(...requests: string[]): Promise<string[]> {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
    let received = '';
    const answers: string[] = [];
    for (const request of requests) {
      socket.write(request);
      while (!received.includes('\r\n\r\n')) {
        const [chunk] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [string | boolean];
        if (typeof chunk !== 'string') break;
        received += chunk;
      }
      const end = received.indexOf('\r\n\r\n') + 4;
      expect(received.slice(0, end)).toMatch(/\r\nDate: \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT\r\n/);
      answers.push(received.slice(0, end).replace(/\r\nDate: [^\r]+/, ''));
      received = received.slice(end);
    }
    socket.destroy();
    return answers;
  }

  it.each([301, 302, 303, 307, 308])('answers every visitor with the same bytes as the first (%i)', async (status) => {
    sent = { ...SENT, status };
    const answers = await ask(GET, GET, GET);
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toMatch(
      new RegExp(`^HTTP/1\\.1 ${status} [A-Z][^]*\\r\\nset-cookie: b=2\\r\\n[^]*\\r\\n\\r\\n$`),
    );
    expect(answers[0]).toContain('\r\nConnection: keep-alive\r\nKeep-Alive: timeout=5\r\n');
    expect([...tally.answers]).toEqual([[status, 3]]);
  });

  it('answers old clients, and those who leave, as they ask for it', async () => {
    const [, old, kept, last] = [
      ...(await ask(GET)),
      ...(await ask('GET / HTTP/1.0\r\n\r\n')),
      ...(await ask('GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n')),
      ...(await ask('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')),
    ];
    expect([old, kept, last].map((answer) => /connection: ([\w-]+)/i.exec(answer ?? '')?.[1])).toEqual([
      'close',
      'keep-alive',
      'close',
    ]);
  });

  it('closes every connection once draining', async () => {
    await ask(GET);
    health.isDraining = true;
    expect((await ask(GET))[0]).toContain('\r\nconnection: close\r\n');
  });

  it('keeps headers that were set before', async () => {
    await ask(GET);
    expect((await ask('GET /set HTTP/1.1\r\nhost: a\r\n\r\n'))[0]).toContain('\r\nx-before: 1\r\n');
  });

  it('never lets a value begin another header', async () => {
    await ask(GET);
    sent = { ...SENT, location: 'https://example.com/\r\nset-cookie: stolen=1' };
    expect((await ask(GET))[0]).toMatch(/^HTTP\/1\.1 503 /);
    [sent, more] = [SENT, ['set-cookie', 'a=\u20ac']];
    expect((await ask(GET))[0]).toMatch(/^HTTP\/1\.1 503 /);
  });
});
