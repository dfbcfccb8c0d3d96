import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { HOUR_MS } from '@hopcount/ledger';
import { testS3, type TestS3 } from '@hopcount/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';

import { CorruptingProxy } from './corrupting-proxy.spec-helpers.js';
import type { ArchiveStore } from './archive-store.js';
import { type ArchiveRoot, openStore } from './open-store.js';
import { S3Objects } from './s3-objects.js';

const AWAY = { code: 'archive-store-away', retryable: true };

let s3: TestS3;
let local: string;
beforeAll(async () => {
  s3 = await testS3();
}, 400_000);
afterAll(() => s3.close());
beforeEach(() => {
  local = mkdtempSync(join(tmpdir(), 'archive-store-'));
});
afterEach(() => rmSync(local, { recursive: true }));

const bucketRoot = (prefix: string, endpoint = s3.endpoint) => ({
  bucket: s3.bucket,
  prefix,
  endpoint,
  cacheFolder: join(local, 'cache'),
  cacheBytes: 1 << 30,
});
const newFile = (folder = 'life') => {
  const id = randomUUID();
  return { id, path: `${folder}/2026-09/hour-2026-09-10T08-${id}.parquet` };
};
const flip = (path: string) => {
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1]! ^= 0xff;
  writeFileSync(path, bytes);
};
/** As whoever seals brings a file into the store. */
async function put(store: ArchiveStore, file: { id: string; path: string }, bytes: Buffer) {
  const written = join(local, randomUUID());
  writeFileSync(written, bytes);
  const { sha256, bytes: size } = await store.put(written, file.path);
  expect(size).toBe(bytes.length);
  return { ...file, sha256 };
}
async function read(store: ArchiveStore, file: { id: string; path: string; sha256: string }, isKnown = false) {
  const opened = await store.open(file, { isKnown: () => isKnown, mayFetch: true });
  if (opened === undefined) return undefined;
  expect(opened.path.endsWith(`${file.id}.parquet`)).toBe(true);
  const bytes = readFileSync(opened.path);
  await opened.close();
  return bytes;
}

const PLACES: [string, () => { root: ArchiveRoot; onDisk: string }][] = [
  ['a folder', () => ({ root: join(local, 'archive'), onDisk: join(local, 'archive') })],
  [
    'a bucket',
    () => {
      const prefix = `some/${randomUUID()}`;
      return { root: bucketRoot(prefix), onDisk: join(s3.folder, prefix) };
    },
  ],
  ['a bucket of its own', () => ({ root: bucketRoot(''), onDisk: s3.folder })],
];

describe.each(PLACES)('an archive in %s', (_name, place) => {
  let root: ArchiveRoot;
  let onDisk: string;
  let store: ArchiveStore;
  beforeEach(() => {
    ({ root, onDisk } = place());
    ({ store } = openStore(root));
  });
  afterEach(() => rmSync(join(onDisk, 'archive-id'), { force: true }));

  it('keeps a file as it was written and hands it out, also to other processes', async () => {
    const bytes = randomBytes(100_000);
    const file = await put(store, newFile(), bytes);
    expect(readFileSync(join(onDisk, file.path)).equals(bytes)).toBe(true);
    expect(await store.digest(file.path)).toEqual({ bytes: bytes.length, sha256: file.sha256 });
    for (const isKnown of [true, false]) expect((await read(store, file, isKnown))?.equals(bytes)).toBe(true);
    expect((await read(openStore(root).store, file))?.equals(bytes)).toBe(true);
  });

  it('hands out no file whose bytes changed', async () => {
    const file = await put(store, newFile(), randomBytes(1_000));
    flip(join(onDisk, file.path));
    expect((await store.digest(file.path))?.sha256).not.toBe(file.sha256);
    expect(await read(openStore(root).store, file)).toBeUndefined();
  });

  it('has no file that is gone, and removes it again without a word', async () => {
    const file = await put(store, newFile(), randomBytes(1_000));
    await read(store, file);
    for (let time = 1; time <= 2; time += 1) await store.remove(file.path);
    expect([await store.digest(file.path), await read(store, file)]).toEqual([undefined, undefined]);
  });

  it('has an id once it is given one', async () => {
    expect(await store.marker()).toBeUndefined();
    const id = await store.mark();
    expect([await store.marker(), await openStore(root).store.marker()]).toEqual([id, id]);
    writeFileSync(join(onDisk, 'archive-id'), 'something else');
    expect(await store.marker()).toBeUndefined();
    expect(await store.mark()).toBe(await store.marker());
  });

  it('tells files of a folder by when they were last written, however many there are', async () => {
    const [mine, other] = [`life-${randomUUID()}`, `life-${randomUUID()}`];
    await put(store, newFile(other), randomBytes(10));
    const file = await put(store, newFile(mine), randomBytes(10));
    expect(await store.olderThan(mine, Date.now() - HOUR_MS)).toEqual([]);
    const old = Array.from({ length: 1_200 }, (_, n) => `${mine}/2026-08/hour-${n}.parquet`);
    mkdirSync(dirname(join(onDisk, old[0]!)), { recursive: true });
    for (const path of old) {
      writeFileSync(join(onDisk, path), '');
      utimesSync(join(onDisk, path), 1, 1);
    }
    expect((await store.olderThan(mine, Date.now() - HOUR_MS)).sort()).toEqual(old.sort());
    expect(await store.olderThan(mine, Date.now() + HOUR_MS)).toContain(file.path);
    rmSync(join(onDisk, mine), { recursive: true });
  });
});

describe('an archive in a bucket', () => {
  let prefix: string;
  let store: ArchiveStore;
  beforeEach(() => {
    prefix = randomUUID();
    ({ store } = openStore(bucketRoot(prefix)));
  });

  it('never writes over a file; what is there already by the same bytes was written by an attempt without an answer', async () => {
    const file = newFile();
    const bytes = randomBytes(1_000);
    expect(await put(store, file, bytes)).toEqual(await put(store, file, bytes));
    await expect(put(store, file, randomBytes(1_000))).rejects.toMatchObject({ code: 'archive-read-back-differs' });
    expect(readFileSync(join(s3.folder, prefix, file.path)).equals(bytes)).toBe(true);
  });

  it('takes a large file in parts, and never writes over one either', async () => {
    const file = newFile();
    const bytes = randomBytes(17 << 20);
    const sealed = await put(store, file, bytes);
    expect((await read(store, sealed))?.equals(bytes)).toBe(true);
    expect(await put(store, file, bytes)).toEqual(sealed);
    await expect(put(store, file, randomBytes(17 << 20))).rejects.toMatchObject({ code: 'archive-read-back-differs' });
    expect(readFileSync(join(s3.folder, prefix, file.path)).equals(bytes)).toBe(true);
  });

  it('gives the server the SHA-256 of what is sent, to refuse other bytes by and to keep', async () => {
    const objects = new S3Objects(bucketRoot(prefix));
    const file = await put(store, newFile(), randomBytes(1_000));
    const { ChecksumSHA256 } = await objects.ask((sdk, client) =>
      client.send(new sdk.HeadObjectCommand({ ...objects.object(file.path), ChecksumMode: 'ENABLED' })),
    );
    expect(ChecksumSHA256).toBe(Buffer.from(file.sha256, 'hex').toString('base64'));
  });

  it('ends uploads that a killed process left unfinished, and no others', async () => {
    const objects = new S3Objects(bucketRoot(prefix));
    const begun = async () => {
      const { Bucket, Key: Prefix } = objects.object('life/');
      const { Uploads = [] } = await objects.ask((sdk, client) =>
        client.send(new sdk.ListMultipartUploadsCommand({ Bucket, Prefix })),
      );
      return Uploads.length;
    };
    const object = objects.object(newFile().path);
    await objects.ask((sdk, client) => client.send(new sdk.CreateMultipartUploadCommand(object)));
    await store.olderThan('life', Date.now() - HOUR_MS);
    expect(await begun()).toBe(1);
    await store.olderThan('life', Date.now() + HOUR_MS);
    expect(await begun()).toBe(0);
  });

  it('fetches nothing where it must not', async () => {
    const file = await put(store, newFile(), randomBytes(1_000));
    const hasty = { isKnown: () => true, mayFetch: false };
    await expect(store.open(file, hasty)).rejects.toMatchObject(AWAY);
    await read(store, file);
    await (await store.open(file, hasty))?.close();
  });

  it('hands one copy to all who ask at once, and keeps none that is damaged', async () => {
    const bytes = randomBytes(100_000);
    const file = await put(store, newFile(), bytes);
    const all = await Promise.all([1, 2, 3, 4].map(() => read(store, file)));
    expect(all.every((one) => one?.equals(bytes))).toBe(true);
    const copy = join(local, 'cache/files', file.path.split('/').at(-1)!);
    flip(copy);
    expect((await read(store, file))?.equals(bytes)).toBe(true);
    expect(readFileSync(copy).equals(bytes)).toBe(true);
  });

  describe('reached over a line that changes bytes', () => {
    let line: CorruptingProxy;
    beforeEach(async () => {
      line = await CorruptingProxy.listen(new URL(s3.endpoint));
      ({ store } = openStore(bucketRoot(prefix, line.url)));
    });
    afterEach(() => line.close());

    it.each([
      ['at once', 50_000],
      ['in parts', 9 << 20],
    ])('refuses a file that is sent %s', async (_how, size) => {
      const file = newFile();
      const bytes = randomBytes(size);
      line.corruptUp(bytes.subarray(20_000, 20_016));
      await expect(put(store, file, bytes)).rejects.toMatchObject(AWAY);
      expect(line.corrupted).toBeGreaterThan(0);
      expect(await store.digest(file.path)).toBeUndefined();
      line.stop();
      const sealed = await put(store, file, bytes);
      expect((await read(store, sealed))?.equals(bytes)).toBe(true);
    });

    it('fetches once more what came damaged, and then believes it', async () => {
      const bytes = randomBytes(50_000);
      const file = await put(store, newFile(), bytes);
      line.corruptDown(bytes.subarray(20_000, 20_016), 1);
      expect((await read(store, file))?.equals(bytes)).toBe(true);
      expect(line.corrupted).toBe(1);
      rmSync(join(local, 'cache'), { recursive: true });
      line.corruptDown(bytes.subarray(20_000, 20_016), 2);
      expect(await read(store, file)).toBeUndefined();
    });
  });

  describe('that is away', () => {
    const setSecret = (secret: string) => void (process.env['AWS_SECRET_ACCESS_KEY'] = secret);
    const ABSENCES: [string, leave: () => Promise<void> | void, comeBack: () => Promise<void> | void][] = [
      ['killed', () => s3.kill(), () => s3.start()],
      ['silent', () => s3.freeze(), () => s3.thaw()],
      ['no longer ours', () => setSecret('another'), () => setSecret('hopcount-test')],
    ];
    let comeBack = ABSENCES[0]![2];
    afterEach(() => comeBack());

    it.each(ABSENCES)(
      '(%s) says so, hands out what it has copies of, and no file counts as gone',
      async (_how, leave, back) => {
        comeBack = back;
        const bytes = randomBytes(1_000);
        const [copied, other] = [await put(store, newFile(), bytes), await put(store, newFile(), bytes)];
        await read(store, copied);
        await leave();
        ({ store } = openStore({ ...bucketRoot(prefix), patienceMs: 300 }));
        expect((await read(store, copied))?.equals(bytes)).toBe(true);
        await expect(read(store, other)).rejects.toMatchObject(AWAY);
        await expect(store.open(other, { isKnown: () => true, mayFetch: false })).rejects.toMatchObject(AWAY);
        await expect(store.digest(copied.path)).rejects.toMatchObject(AWAY);
        await expect(store.marker()).rejects.toMatchObject(AWAY);
        await expect(put(store, newFile(), bytes)).rejects.toMatchObject(AWAY);
        await expect(store.olderThan('life', Date.now())).rejects.toMatchObject(AWAY);
        await expect(store.remove(copied.path)).rejects.toMatchObject(AWAY);
      },
    );

    it('in the middle of a file says so, and hands the file out once it is back', async () => {
      const bytes = randomBytes(12 << 20);
      const file = await put(store, newFile(), bytes);
      const line = await CorruptingProxy.listen(new URL(s3.endpoint));
      ({ store } = openStore({ ...bucketRoot(prefix, line.url), patienceMs: 2_000 }));
      line.stallDown(bytes.subarray(8 << 20, (8 << 20) + 16));
      await expect(read(store, file)).rejects.toMatchObject(AWAY);
      line.stop();
      expect((await read(store, file))?.equals(bytes)).toBe(true);
      await line.close();
    });
  });
});
