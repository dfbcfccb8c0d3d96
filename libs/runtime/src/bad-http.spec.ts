import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { BadHttp } from './bad-http.js';

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`;
const POST = (path: string, chunks: string) =>
  `POST ${path} HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${chunks}`;
const BAD_CHUNK = 'no length\r\n';

let server: Server;
/** Answers of `/slow`, and of what is begun and not ended (`/begun`), which the test ends. */
let held: ServerResponse[];

beforeEach(async () => {
  held = [];
  const badHttp = new BadHttp();
  server = createServer({ maxHeaderSize: 4_096 }, (request, response) => {
    const { url = '' } = request;
    if (url === '/now') response.end(url);
    else if (url === '/slow') held.push(response);
    else if (url === '/begun') held.push(response.writeHead(200, { 'content-length': '6' }));
    else request.on('data', () => undefined).on('end', () => response.end(url));
    if (url === '/begun') response.write('/be');
  });
  badHttp.follow(server);
  server.on('clientError', badHttp.refuse).listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** Statuses and bodies of all answers until the server closes the connection; `end`: once the server holds so many answers. */
async function exchange(sent: string[], end?: { after: number; then: (responses: ServerResponse[]) => void }) {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').setEncoding('latin1');
  let received = '';
  socket.on('data', (chunk: string) => (received += chunk)).on('error', () => undefined);
  const closed = once(socket, 'close');
  for (const part of sent) {
    socket.write(part, 'latin1');
    // Each part arrives by itself.
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  if (end !== undefined) {
    while (held.length < end.after) await new Promise(setImmediate);
    end.then(held);
  }
  await closed;
  return received.split(/(?=HTTP\/1\.1 )/).map((answer) => {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    return `${head.slice(9, 12)} ${body}`.trim();
  });
}

const endAll = (responses: ServerResponse[]) => responses.forEach((response) => response.end('gun'));

describe('bytes that are no HTTP', () => {
  it.each([
    ['from the start', ['NO HTTP\r\n\r\n'], ['400']],
    ['after an answer', [GET('/now'), 'NO HTTP\r\n\r\n'], ['200 /now', '400']],
    ['right behind a request', [`${GET('/now')}NO HTTP\r\n\r\n`], ['200 /now', '400']],
    ['in a head that is too large', [`GET / HTTP/1.1\r\na: ${'a'.repeat(9_000)}\r\n\r\n`], ['431']],
    [
      'in a head that is too large, behind a request',
      [`${GET('/now')}GET / HTTP/1.1\r\na: ${'a'.repeat(9_000)}`],
      ['200 /now', '431'],
    ],
    ['in a chunk that the answer waits for', [POST('/read', `2\r\nab\r\n${BAD_CHUNK}`)], ['400']],
    ['in a later chunk that the answer waits for', [POST('/read', '2\r\nab\r\n'), BAD_CHUNK], ['400']],
    ['in a chunk after the answer', [POST('/now', '2\r\nab\r\n'), BAD_CHUNK], ['200 /now']],
    ['in the same bytes as what is answered at once', [POST('/now', BAD_CHUNK)], ['200 /now']],
    ['in a chunk of the second request', [`${GET('/now')}${POST('/read', BAD_CHUNK)}`], ['200 /now', '400']],
    [
      'after an expectation that Node refuses',
      ['POST / HTTP/1.1\r\nhost: a\r\nexpect: x\r\ntransfer-encoding: chunked\r\n\r\n', BAD_CHUNK],
      ['417'],
    ],
  ])('%s have one answer to each request, in their order', async (_, sent, answers) => {
    expect(await exchange(sent)).toEqual(answers);
  });

  it.each([
    ['behind a request that is answered later', [`${GET('/slow')}NO HTTP\r\n\r\n`], 1, ['200 gun', '400']],
    [
      'behind two that are answered later',
      [`${GET('/slow')}${GET('/slow')}NO HTTP\r\n\r\n`],
      2,
      ['200 gun', '200 gun', '400'],
    ],
    [
      'as CONNECT behind one that is answered later',
      [`${GET('/slow')}CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n`],
      1,
      ['200 gun', '405'],
    ],
    [
      'as CONNECT behind two',
      [`${GET('/slow')}${GET('/slow')}CONNECT a:1 HTTP/1.1\r\nhost: a\r\n\r\n`],
      2,
      ['200 gun', '200 gun', '405'],
    ],
    ['behind one that is being answered', [`${GET('/begun')}NO HTTP\r\n\r\n`], 1, ['200 /begun', '400']],
    ['in a chunk while the answer is sent', [POST('/begun', '2\r\nab\r\n'), BAD_CHUNK], 1, ['200 /begun']],
    [
      'in a chunk behind a request that is answered later',
      [`${GET('/slow')}${POST('/read', BAD_CHUNK)}`],
      1,
      ['200 gun', '400'],
    ],
    ['in a chunk of a GET that is answered later', [POST('/slow', BAD_CHUNK).replace('POST', 'GET')], 1, ['200 gun']],
  ])('%s wait for the answers before', async (_, sent, after, answers) => {
    expect(await exchange(sent, { after, then: endAll })).toEqual(answers);
  });

  it('in a chunk leave no room for an answer that comes later', async () => {
    let ended = 0;
    const answers = exchange([POST('/slow', '2\r\nab\r\n'), BAD_CHUNK], { after: 1, then: () => (ended += 1) });
    expect(await answers).toEqual(['400']);
    held[0]?.end('too late');
    expect([ended, held.length]).toEqual([1, 1]);
  });
});

describe('bytes of a target that are not encoded', () => {
  const RAW = Buffer.from(`${GET('/gr\u00f6\u00dfe')}`).toString('latin1');
  const ENCODED = '200 /gr%C3%B6%C3%9Fe';
  const RAW_POST = RAW.replace('GET', 'POST').replace(
    '\r\n\r\n',
    '\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n',
  );

  it.each([
    ['of the first request', [RAW], [ENCODED]],
    ['of a later request', [GET('/now'), GET('/now'), RAW], ['200 /now', '200 /now', ENCODED]],
    ['right behind a request', [`${GET('/now')}${RAW}`], ['200 /now', ENCODED]],
    ['right behind a body', [`${POST('/read', '2\r\nab\r\n0\r\n\r\n')}${RAW}`], ['200 /read', ENCODED]],
    [
      'behind a request that came in parts',
      [GET('/now').slice(0, 9), `${GET('/now').slice(9)}${RAW}`],
      ['200 /now', ENCODED],
    ],
    ['with a body', [RAW_POST], [ENCODED]],
    ['with a chunk that is broken', [RAW_POST.replace('0\r\n\r\n', BAD_CHUNK)], ['400']],
    ['before another request, which is not read', [`${RAW}${GET('/now')}`], [ENCODED]],
    ['with a control character behind them', [RAW.replace('e HTTP', '\u0001 HTTP')], ['400']],
    ['in a line that has no end', [RAW.replace('e HTTP', 'e'.repeat(20_000))], ['431']],
    ['after a space too many', [RAW.replace('GET ', 'GET /now ')], ['400']],
    ['of PROPPATCH in two packets', ['PROP', RAW.replace('GET', 'PATCH')], ['400']],
  ])('%s', async (_, sent, answers) => {
    expect(await exchange(sent)).toEqual(answers);
  });

  it.each([[RAW], [RAW_POST]])('of %j in two packets, split at any byte behind the first of them', async (request) => {
    const first = request.search(/[\x80-\xff]/) + 1;
    const splits = Array.from({ length: request.length - first }, (__, index) => first + index);
    const answers = await Promise.all(splits.map((at) => exchange([request.slice(0, at), request.slice(at)])));
    expect(answers).toEqual(splits.map(() => [ENCODED]));
  });

  it('wait for the answer before', async () => {
    const answers = exchange([`${GET('/slow')}${RAW}`], { after: 1, then: endAll });
    expect(await answers).toEqual(['200 gun', ENCODED]);
  });
});
