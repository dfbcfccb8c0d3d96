import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';

import { describe, expect, it } from '@jest/globals';

import { PrebuiltBody } from './prebuilt-body.js';

const TEXT = 'a line of text\n'.repeat(1_000);
const body = () => new PrebuiltBody('text/plain; charset=utf-8', Buffer.from(TEXT));

describe('a body that is built once', () => {
  it('is the same bytes for every client, compressed or not', async () => {
    const built = body();
    for (const headers of [{}, { 'accept-encoding': 'gzip' }, { 'accept-encoding': 'br' }]) {
      const [one, other] = [await built.answer(headers), await built.answer(headers)];
      expect(one.body).toBeInstanceOf(Buffer);
      expect(other.body).toBe(one.body);
    }
  });

  it.each([
    ['br', (bytes: Buffer) => brotliDecompressSync(bytes)],
    ['gzip', (bytes: Buffer) => gunzipSync(bytes)],
  ])('can be read by a client that takes %s', async (coding, decompress) => {
    const { headers, body: bytes } = await body().answer({ 'accept-encoding': `deflate, ${coding}` });
    expect([headers['content-encoding'], headers['vary']]).toEqual([coding, 'accept-encoding']);
    expect(bytes?.length).toBeLessThan(TEXT.length / 10);
    expect(decompress(bytes ?? Buffer.alloc(0)).toString()).toBe(TEXT);
  });

  it('is compressed again by the next request after a compression failed', async () => {
    let tries = 0;
    const failsOnce = (bytes: Buffer) => {
      if ((tries += 1) === 1) return Promise.reject(new Error('no memory'));
      return Promise.resolve(gzipSync(bytes));
    };
    const built = new PrebuiltBody('text/plain', Buffer.from(TEXT), {
      compress: { gzip: failsOnce, br: failsOnce },
    });
    const asked = { 'accept-encoding': 'gzip' };
    await expect(built.answer(asked)).rejects.toThrow('no memory');
    const { body: bytes } = await built.answer(asked);
    expect(gunzipSync(bytes ?? Buffer.alloc(0)).toString()).toBe(TEXT);
    expect((await built.answer(asked)).body).toBe(bytes);
    expect(tries).toBe(2);
  });

  it('is not sent to a client that has it, in the coding it has it in', async () => {
    const built = body();
    const etags = await Promise.all(
      ['', 'gzip', 'br'].map(async (accepted) =>
        String((await built.answer({ 'accept-encoding': accepted })).headers['etag']),
      ),
    );
    expect(new Set(etags).size).toBe(3);
    for (const known of [etags[1], `W/${etags[1]}`, `"other", ${etags[1]}`, '*']) {
      const answer = await built.answer({ 'accept-encoding': 'gzip', 'if-none-match': String(known) });
      expect([answer.status, answer.body, answer.headers['etag']]).toEqual([304, undefined, etags[1]]);
    }
    expect((await built.answer({ 'if-none-match': String(etags[1]) })).status).toBe(200);
  });

  it('is left as it is where compressing it gains nothing', async () => {
    const accepted = { 'accept-encoding': 'br, gzip' };
    for (const built of [
      new PrebuiltBody('image/png', Buffer.alloc(9_000)),
      new PrebuiltBody('text/css', Buffer.from('a{}')),
    ])
      expect((await built.answer(accepted)).headers).not.toHaveProperty('content-encoding');
  });
});
