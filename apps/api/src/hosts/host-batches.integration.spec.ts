import { gzipSync } from 'node:zlib';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeHostCounts, type HostBatch, hostBatchSchema } from '@hopcount/contracts';
import { HostBatchCommitter, HostBatches, HostFold, PartitionCheckpoints } from '@hopcount/ledger';
import { freePort, testApiKey, testRedis, type TestRedis, type TestTopic, testTopic } from '@hopcount/testing';
import fc from 'fast-check';

import { type Answer, TestApi } from '../api.spec-helpers.js';

const PATH = '/rest/v3/hosts/counts';
const TEXT = 'text/plain';
const LEETCODE = ['9001 discuss.leetcode.com', '900 google.mail.com\n50 yahoo.com\n1 intel.mail.com\n5 wiki.org\n'];

describe('counts of hosts from elsewhere', () => {
  let api: TestApi;
  let topic: TestTopic;
  beforeAll(async () => {
    topic = await testTopic({ label: 'counts' });
    api = await TestApi.start({ HOST_COUNTS_TOPIC: topic.name });
  });
  afterAll(async () => {
    await api.stop();
    await topic.delete();
  });

  let keys = 0;
  const newKey = () => `key/${(keys += 1)} %`;
  const post = (body: unknown, headers: Record<string, string> = {}, through = api) =>
    through.request('POST', PATH, { body, headers: { 'idempotency-key': newKey(), 'content-type': TEXT, ...headers } });
  /** Bytes as they are. */
  const send = async (body: Buffer | string, headers: Record<string, string>): Promise<Pick<Answer, 'status'>> =>
    fetch(`${api.url}${PATH}`, {
      ...{ method: 'POST', body: body as string },
      headers: { 'x-api-key': api.apiKey, 'content-type': TEXT, 'idempotency-key': newKey(), ...headers },
    });
  const batchPath = (key: string) => `${PATH}/batches/${encodeURIComponent(key)}`;
  const stateOf = async (key: string, headers: Record<string, string> = {}) => {
    const { status, body } = await api.request('GET', batchPath(key), { headers });
    return status === 200 ? (hostBatchSchema.parse(body).state as string) : status;
  };
  const records = async () =>
    (await topic.readAll()).map(({ value }) => {
      const decoded = decodeHostCounts(value);
      if (decoded.outcome !== 'ok') throw new Error(decoded.detail);
      return decoded.visit;
    });
  /** As a consumer: all there is, from the beginning. */
  const countAll = async () => {
    const { database } = api.resources;
    const ref = { group: 'spec', topic: topic.name, partition: 0 };
    const checkpoint = await new PartitionCheckpoints(database).takeOwnership(ref, 'spec');
    const items = await records();
    const advance = { checkpoint, nextOffset: checkpoint.nextOffset, lastRecordAtMs: 1 };
    const counted = await new HostBatchCommitter(database).commit({ ...advance, items });
    while ((await new HostFold(database).fold()).waiting > 0);
    return counted;
  };
  const lines = async (name: string) => {
    const { status, body, headers } = await api.get(`hosts/fed/${name}`, { accept: TEXT });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(headers.get('x-statistics')).toBe('{"exact":true}');
    return String(body['text']).trimEnd().split('\n').sort();
  };

  it("are LeetCode's: lines in, lines out, of every name and all below it", async () => {
    const key = newKey();
    const { status, body } = await post(LEETCODE[0], { 'idempotency-key': key });
    expect([status, hostBatchSchema.parse(body)]).toMatchObject([
      202,
      { key, state: 'accepted', lines: 1, visits: 9_001 },
    ]);
    expect((await post(LEETCODE[1])).status).toBe(202);
    expect(await stateOf(key)).toBe('accepted');
    await countAll();
    expect(await stateOf(key)).toBe('counted');
    const com = ['901 mail.com', '50 yahoo.com', '900 google.mail.com', '1 intel.mail.com', '9952 com'];
    expect(await lines('com')).toEqual([...com, '9001 discuss.leetcode.com', '9001 leetcode.com'].sort());
    expect(await lines('org')).toEqual(['5 org', '5 wiki.org']);
    expect((await api.get('hosts/fed/mail.com?scope=below')).body).toMatchObject({ allTime: { visits: 901 } });
    expect((await api.get('hosts/target/mail.com')).body).toMatchObject({ allTime: { visits: 0 } });
  });

  it('add up as by hand, of forty random lists', async () => {
    const labels = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 });
    const line = fc.record({ count: fc.integer({ min: 1, max: 1_000 }), labels });
    const lists = fc
      .sample(fc.array(line, { minLength: 1, maxLength: 30 }), { numRuns: 40, seed: 811 })
      .map((list, nth) => list.map((one) => ({ count: one.count, name: [...one.labels, `list${nth}`].join('.') })));
    for (const list of lists) {
      expect((await post(list.map(({ count, name }) => `${count} ${name}`).join('\n'))).status).toBe(202);
    }
    await countAll();
    for (const [nth, list] of lists.entries()) {
      const suffixes = (name: string) => name.split('.').map((_, label, all) => all.slice(label).join('.'));
      const sums = new Map<string, number>();
      for (const { count, name } of list) for (const one of suffixes(name)) sums.set(one, (sums.get(one) ?? 0) + count);
      expect(await lines(`list${nth}`)).toEqual([...sums].map(([name, count]) => `${count} ${name}`).sort());
    }
  });

  it('count once for a key sent fifty times at once to two processes; other counts under it are refused', async () => {
    const second = await TestApi.start({ HOST_COUNTS_TOPIC: topic.name, DATABASE_URL: api.database.url });
    try {
      const key = { 'idempotency-key': newKey(), 'x-api-key': api.apiKey };
      const json = { counts: [{ host: 'HTTPS://Fifty.example./x', visits: 3 }] };
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, nth) =>
          // The same to us.
          nth % 2 === 0
            ? post('3 fifty.example', key, nth % 4 === 0 ? api : second)
            : post(json, { ...key, 'content-type': 'application/json' }, nth % 4 === 1 ? api : second),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
      expect(new Set(answers.map(({ body }) => body['acceptedAt'])).size).toBe(1);
      const other = await post('4 fifty.example', key, second);
      expect([other.status, other.body['type']]).toEqual([422, 'urn:hopcount:problem:idempotency-key-reused']);
      await countAll();
      expect(await lines('fifty.example')).toEqual(['3 fifty.example']);
      expect((await post('3 fifty.example', key)).body['state']).toBe('counted');
      expect(await stateOf(key['idempotency-key'])).toBe('counted');
      // Of another API key it is another batch.
      const { key: another } = await testApiKey(api.database, { scopes: ['hosts:write'] });
      expect(await stateOf(key['idempotency-key'], { 'x-api-key': another })).toBe(404);
      await post('4 fifty.example', { ...key, 'x-api-key': another });
      await countAll();
      expect(await lines('fifty.example')).toEqual(['7 fifty.example']);
    } finally {
      await second.stop();
    }
  });

  it('are reversed once, by who fed them', async () => {
    const key = newKey();
    const reverse = () => api.request('DELETE', batchPath(key));
    expect((await reverse()).status).toBe(404);
    await post('5 undo.example\n6 a.undo.example', { 'idempotency-key': key });
    const early = newKey();
    await post('9 undo.example', { 'idempotency-key': early });
    const withdraw = await api.request('DELETE', batchPath(early));
    expect([withdraw.status, hostBatchSchema.parse(withdraw.body).state]).toEqual([200, 'withdrawn']);
    await countAll();
    expect(await lines('undo.example')).toHaveLength(2);
    const answers = await Promise.all(Array.from({ length: 5 }, reverse));
    expect(answers.map(({ status, body }) => [status, (body as unknown as HostBatch).state])).toEqual(
      Array.from({ length: 5 }, () => [200, 'reversed']),
    );
    expect((await post('5 undo.example\n6 a.undo.example', { 'idempotency-key': key })).body['state']).toBe('reversed');
    await countAll();
    expect(await lines('undo.example')).toEqual(['']);
    const [audited] = await api.database.query(`SELECT object, actor ->> 'operation' AS operation FROM audit_log
      WHERE kind = 'host-batch' AND object LIKE 'key % ${key}'`);
    expect(audited).toEqual({
      object: expect.stringMatching(new RegExp(`^key \\d+ ${key}$`)),
      operation: 'reverseHostBatch',
    });
    const other = newKey();
    await post('1 undo.example', { 'idempotency-key': other });
    await countAll();
    await api.database.query(`UPDATE host_batches SET settled_at = now() - interval '8 days' WHERE key = '${other}'`);
    await new HostBatches(api.resources.database).expire();
    const late = await api.request('DELETE', batchPath(other));
    expect([late.status, late.body['type']]).toEqual([409, 'urn:hopcount:problem:host-batch-ended']);
    expect(await lines('undo.example')).toEqual(['1 undo.example']);
  });

  it.each([
    ['1e400 a.example', 'line 1'],
    ['-1 a.example', 'line 1'],
    ['1 a.example\n9007199254740992 b.example', 'line 2'],
    ['1 a.example\n\n1 a\0b', 'line 3'],
    ['0 a.example', 'line 1'],
    ['1 ann@a.example', 'line 1'],
    ['1 *.a.example', 'line 1'],
    [`${'\n'.repeat(10_000)}1 a.example`, 'line 10001'],
    ['', 'body'],
    [Array.from({ length: 9_008 }, () => '1000000000000 a.example').join('\n'), 'line 9008'],
  ])('are refused whole, and it says where (case %#)', async (body, field) => {
    const before = await topic.offsets();
    const answer = await post(body);
    expect([answer.status, (answer.body['reasons'] as { field: string }[])[0]?.field]).toEqual([400, field]);
    expect(await topic.offsets()).toEqual(before);
  });

  it.each([
    [{ counts: [{ host: 'a.example', visits: -1 }] }],
    [{ counts: [{ host: 'a.example', visits: 2 ** 53 }] }],
    [{ counts: [{ host: 'a.example', visits: 1.5 }] }],
    [{ counts: [{ host: 'a\0b', visits: 1 }] }],
    [{ counts: [] }],
    [{ counts: Array.from({ length: 10_001 }, () => ({ host: 'a.example', visits: 1 })) }],
    ['{"counts": [{"host": "a.example", "visits": 1e400}]}'],
    ['{"counts": [{"host": "a.example", "visits": 1}], "__proto__": {}}'],
    ['"1 a.example"'],
    ['null'],
  ])('are refused as JSON, too (case %#)', async (body) => {
    expect((await post(body, { 'content-type': 'application/json' })).status).toBe(400);
  });

  it('have names that JavaScript knows otherwise, 8 labels of each, and 10,000 lines, also gzipped', async () => {
    const many = Array.from({ length: 9_997 }, (_, nth) => `${nth + 1} n${nth}.many.example`);
    const text = ['2 __proto__.com', '3 constructor', '4 y.x.g.f.e.d.c.b.a.deep', ...many].join('\n');
    expect((await send(gzipSync(text), { 'content-encoding': 'gzip' })).status).toBe(202);
    await countAll();
    expect([await lines('__proto__.com'), await lines('constructor')]).toEqual([
      ['2 __proto__.com'],
      ['3 constructor'],
    ]);
    const deep = ['a', 'b.a', 'c.b.a', 'd.c.b.a', 'e.d.c.b.a', 'f.e.d.c.b.a', 'g.f.e.d.c.b.a'];
    expect(await lines('a.deep')).toEqual(deep.map((name) => `4 ${name}.deep`).sort());
    expect((await lines('many.example')).length).toBe(9_998);
    const [sum] = await api.database.query(`SELECT sum(p - n)::integer AS visits FROM host_totals
      JOIN hosts ON hosts.id = host_id WHERE hosts.kind = 3 AND name LIKE 'example.many.%'`);
    expect(sum).toEqual({ visits: (9_997 * 9_998) / 2 });
  });

  it('take 1 MB, also of what is packed, and no other packing', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1_024 * 1_024, '1 a.example\n'));
    expect((await send(bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
    expect((await send('x'.repeat(1_024 * 1_024 + 1), {})).status).toBe(413);
    expect((await send('no gzip', { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await send(gzipSync('1 a.example').subarray(0, 20), { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await send('1 a.example', { 'content-encoding': 'br' })).status).toBe(415);
    expect((await send('1 a.example', { 'content-type': 'text/csv' })).status).toBe(415);
  });

  it('need a key of theirs, and a right', async () => {
    const noKey = await api.request('POST', PATH, { body: '1 a.example', headers: { 'content-type': TEXT } });
    expect([noKey.status, noKey.body['invalidElements']]).toEqual([400, ['Idempotency-Key']]);
    expect((await post('1 a.example', { 'idempotency-key': 'x'.repeat(256) })).status).toBe(400);
    for (const key of ['%00', 'x'.repeat(300)]) expect((await api.get(`hosts/counts/batches/${key}`)).status).toBe(404);
    const { key } = await testApiKey(api.database, { scopes: ['links:write'] });
    expect((await post('1 a.example', { 'x-api-key': key })).status).toBe(403);
  });
});

describe('limits of counts from elsewhere', () => {
  let api: TestApi;
  let redis: TestRedis;
  const feed = (count: number, of: string, key = `${count}${of}`) =>
    api.request('POST', PATH, {
      body: Array.from({ length: count }, (_, nth) => `1 ${nth}${of}.example`).join('\n'),
      headers: { 'content-type': TEXT, 'idempotency-key': key },
    });
  beforeAll(async () => {
    redis = await testRedis();
    api = await TestApi.start({
      ...{ REDIS_URL: redis.url, API_RATE_LIMITS: 'true', HOST_COUNT_LIMIT: '1000:0.01', NEW_HOSTS_PER_DAY: '250' },
      HOST_COUNTS_PER_DAY: '460',
      KAFKA_BROKERS: `127.0.0.1:${await freePort()}`,
    });
  });
  afterAll(async () => {
    await api.stop();
    await redis.close();
  });

  it('are by lines and by new names; while Kafka is away it is to be sent again, and is one batch', async () => {
    const away = await feed(200, 'a');
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await feed(200, 'a')).status).toBe(503);
    expect(await api.database.query('SELECT new_names FROM host_batches')).toEqual([{ new_names: 200 }]);
    const tooMany = await feed(51, 'b');
    expect([tooMany.status, tooMany.body['type'], tooMany.headers.get('retry-after')]).toEqual([
      ...[429, 'urn:hopcount:problem:too-many-new-hosts', '3600'],
    ]);
    const tooLong = await feed(100, 'a');
    expect([tooLong.status, tooLong.body['type'], tooLong.headers.get('retry-after')]).toEqual([
      ...[429, 'urn:hopcount:problem:too-many-counts', '3600'],
    ]);
    const used = await feed(200, 'a');
    expect([used.status, used.headers.get('ratelimit')]).toEqual([
      ...[429, expect.stringMatching(/"host-counts";r=(49|5\d);/)],
    ]);
    expect(await api.database.query('SELECT FROM host_batches')).toHaveLength(1);
  });
});
