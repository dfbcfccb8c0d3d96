import { crc32, deflateSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import jsQr from 'jsqr';
import { PNG } from 'pngjs';

import { TestApi } from '../../api.spec-helpers.js';

let api: TestApi;

beforeAll(async () => {
  api = await TestApi.start();
  await api.create({ longUrl: 'https://example.com', customSlug: 'code' });
});
afterAll(() => api.stop());

async function ask(query: string, options: { code?: string; logo?: string; headers?: Record<string, string> } = {}) {
  const { code = 'code', logo, headers } = options;
  const path = `${api.url}/rest/v3/short-urls/${encodeURIComponent(code)}/qr-code?${query}`;
  const body = logo === undefined ? undefined : JSON.stringify({ logo });
  const answer = await fetch(path, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      'x-api-key': api.apiKey,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body,
  });
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) };
}

async function png(query: string, options: Parameters<typeof ask>[1] = {}): Promise<PNG> {
  const { status, headers, bytes } = await ask(query, options);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
  return PNG.sync.read(bytes);
}

async function svg(query: string, options: Parameters<typeof ask>[1] = {}): Promise<string> {
  const { status, headers, bytes } = await ask(`format=svg&${query}`, options);
  expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
  return bytes.toString();
}

function read({ data, width, height }: Pick<PNG, 'data' | 'width' | 'height'>) {
  return jsQr.default(new Uint8ClampedArray(data), width, height);
}

/** Of a picture of rectangles, as ours are. */
function rasterise(picture: string): PNG {
  const side = Number(/width="(\d+)"/.exec(picture)?.[1]);
  const raster = new PNG({ width: side, height: side });
  for (const [, colour = '', path = ''] of picture.matchAll(/<path fill="#(\w{6})"[^>]* d="([^"]+)"/g)) {
    for (const [, x, y, width, height] of path.matchAll(/M(\d+) (\d+)h(\d+)v(\d+)h-\d+z/g)) {
      for (let row = Number(y); row < Number(y) + Number(height); row++) {
        const from = (row * side + Number(x)) * 4;
        raster.data.fill(Buffer.from(`${colour}ff`, 'hex'), from, from + Number(width) * 4);
      }
    }
  }
  return raster;
}

function pixel({ data, width }: PNG, x: number, y: number): string {
  return data.toString('hex', (y * width + x) * 4, (y * width + x) * 4 + 3);
}

function logoOf(change: (png: PNG) => void = () => undefined, side = 60): Buffer {
  const logo = new PNG({ width: side, height: side });
  logo.data.fill(Buffer.from('e01010ff', 'hex'));
  change(logo);
  return PNG.sync.write(logo);
}

const dataUrl = (bytes: Buffer) => `data:image/png;base64,${bytes.toString('base64')}`;

describe('a QR code', () => {
  it('is a PNG of the short URL with the margin readers need', async () => {
    const picture = await png('');
    expect(read(picture)?.data).toBe('http://s.test/code');
    // Version 2 has 25 modules a side: 12 pixels each.
    expect([picture.width, picture.height]).toEqual([300 + 2 * 4 * 12, 300 + 2 * 4 * 12]);
    expect(pixel(picture, 47, 47)).toBe('ffffff');
    expect(pixel(picture, 48, 48)).toBe('000000');
  });

  it('is an SVG of the same modules, which a page may show but that can do nothing', async () => {
    const picture = await svg('size=500&margin=10&color=123&bgColor=%23fedcba');
    const raster = rasterise(picture);
    expect([raster.width, read(raster)?.data]).toEqual([520, 'http://s.test/code']);
    expect([pixel(raster, 0, 0), pixel(raster, 11, 11)]).toEqual(['fedcba', '112233']);
    const { headers } = await ask('format=svg');
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/);
  });

  it('has the size, margin and colours asked for', async () => {
    const picture = await png('size=411&margin=7&color=%23004080&bgColor=ffe');
    expect([picture.width, pixel(picture, 0, 0)]).toEqual([425, 'ffffee']);
    expect(picture.data.includes(Buffer.from('004080ff', 'hex'))).toBe(true);
    expect(read(picture)?.data).toBe('http://s.test/code');
  });

  it('takes more modules the more may be covered', async () => {
    const versions = [];
    // One after the other: reading one takes this process so long that the session of another would time out.
    for (const level of ['l', 'M', 'Q', 'H']) versions.push(read(await png(`errorCorrection=${level}`))?.version);
    expect(versions).toEqual([2, 2, 2, 3]);
  });

  it('holds codes of other scripts and domains as browsers send them', async () => {
    await api.create({ longUrl: 'https://example.com', customSlug: 'größe🦣', domain: 'bücher.example' });
    const picture = await png('domain=xn--bcher-kva.example', { code: 'größe🦣' });
    expect(read(picture)?.data).toBe('http://xn--bcher-kva.example/gr%C3%B6%C3%9Fe%F0%9F%A6%A3');
  });

  it('is drawn once for each question: the same ETag is answered 304', async () => {
    const first = await ask('size=100');
    const tag = String(first.headers.get('etag'));
    const again = await ask('size=100', { headers: { 'if-none-match': `"other", ${tag}` } });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    for (const query of ['size=101', 'size=100&margin=1', 'size=100&format=svg', 'size=100&color=333']) {
      expect((await ask(query, { headers: { 'if-none-match': tag } })).status).toBe(200);
    }
  });

  it('is not of a code that nobody has', async () => {
    expect((await ask('', { code: 'nobody' })).status).toBe(404);
    expect((await ask('domain=other.example')).status).toBe(404);
  });

  it.each([
    ...['size=49', 'size=1001', 'size=1e2', 'size=-5', 'margin=201', 'margin=1.5', 'format=gif', 'errorCorrection=X'],
    ...['color=red', 'color=12345', 'bgColor=%22onload', 'bgColor=000000', 'color=777&bgColor=888', 'rounded=true'],
  ])('refuses %s and says which parameter it is', async (query) => {
    const { status, bytes } = await ask(query);
    const { invalidElements } = JSON.parse(bytes.toString()) as { invalidElements: string[] };
    const expected = query.includes('color=777') || query === 'bgColor=000000' ? 'bgColor' : query.split('=')[0];
    expect([status, invalidElements]).toEqual([400, [expected]]);
  });

  it('says how large it must be, and what is too long for its level', async () => {
    const long = 'ü'.repeat(250);
    await api.create({ longUrl: 'https://example.com', customSlug: long });
    const small = await ask('size=100', { code: long });
    expect([small.status, small.bytes.toString()]).toEqual([400, expect.stringContaining('its size must be at least')]);
    const strong = await ask('errorCorrection=H', { code: long });
    expect([strong.status, strong.bytes.toString()]).toEqual([400, expect.stringContaining('of level H')]);
    expect(read(await png('size=600&margin=10', { code: long }))?.data).toMatch(/%C3%BC$/);
  });
});

describe('a logo', () => {
  it('is in the middle of a PNG that can be read, its transparent parts like the background', async () => {
    const logo = logoOf((given) => given.data.fill(0, 0, 60 * 20 * 4));
    const picture = await png('size=400&margin=40&errorCorrection=L', { logo: dataUrl(logo) });
    expect(read(picture)).toMatchObject({ data: 'http://s.test/code', version: 3 });
    expect(pixel(picture, 240, 240)).toBe('e01010');
    expect(pixel(picture, 240, 205)).toBe('ffffff');
  });

  it('is in an SVG as a picture of its own', async () => {
    const picture = await svg('margin=20', { logo: dataUrl(logoOf()) });
    const embedded = /<image [^>]*href="data:image\/png;base64,([^"]+)"/.exec(picture)?.[1] ?? '';
    expect(pixel(PNG.sync.read(Buffer.from(embedded, 'base64')), 30, 30)).toBe('e01010');
  });

  it('that is no small PNG is refused', async () => {
    const plain = logoOf();
    const header = (change: (data: Buffer) => void) => {
      const chunk = Buffer.from(plain.subarray(8, 33));
      change(chunk.subarray(8));
      chunk.writeUInt32BE(crc32(chunk.subarray(4, 21)), 21);
      return chunk;
    };
    const interlaced = header((data) => (data[12] = 1));
    const huge = header((data) => data.writeUInt32BE(60_000, 0));
    const head = plain.subarray(0, 8);
    const rest = plain.subarray(33);
    for (const [bytes, detail] of [
      [Buffer.from('no picture'), /not a PNG/],
      [plain.subarray(0, 60), /not a PNG/],
      [Buffer.concat([plain, Buffer.from('<script>')]), /not a PNG/],
      [Buffer.concat([plain.subarray(0, 33), deflateSync(Buffer.alloc(0))]), /not a PNG/],
      [logoOf(undefined, 513), /at most 512 × 512/],
      [Buffer.concat([head, huge, rest]), /at most 512 × 512/],
      // The decoder takes the size from the last header it meets.
      [Buffer.concat([plain.subarray(0, 33), huge, rest]), /^The logo is not a PNG\.$/],
      [Buffer.concat([head, interlaced, rest]), /interlaced/],
    ] as const) {
      const { status, bytes: body } = await ask('', { logo: dataUrl(bytes) });
      const problem = JSON.parse(body.toString()) as { invalidElements: string[]; detail: string };
      expect([status, problem.invalidElements, problem.detail]).toEqual([400, ['logo'], expect.stringMatching(detail)]);
    }
    for (const text of ['https://example.com/logo.png', 'data:image/svg+xml;base64,AAAA', 'data:image/png;base64,']) {
      expect((await ask('', { logo: text })).status).toBe(400);
    }
  });
});
