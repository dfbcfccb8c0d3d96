import { hostSchema } from '@hopcount/contracts';
import { HostFold } from '@hopcount/ledger';
import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';
import { FreezingProxy, waitUntil } from '@hopcount/testing';
import { expect, it } from '@jest/globals';

import { TestApi } from '../api.spec-helpers.js';

const to = (targetHost: string, more = {}) =>
  enrichedVisit({ linkId: '7', atMs: Date.parse('2026-06-12T10:00Z'), targetHost, ...more });

it('counts a name of all time from memory, as PostgreSQL does, and goes on while that is away', async () => {
  const read = await TestApi.start({ HOST_MEMORY_NAMES: '0' });
  const target = new URL(read.database.url);
  const proxy = await FreezingProxy.listen(target);
  const commit = await openLedger(read.resources.database);
  await commit([
    to('example.net'),
    to('shop.example.net'),
    to('192.0.2.7'),
    to('a.shop.example.net', { class: 'bot' }),
  ]);
  await new HostFold(read.resources.database).fold();
  const kept = await TestApi.start({ DATABASE_URL: proxy.through(target) });
  const names = ['net', 'shop.example.net', 'new.example.net', 'never.net', '192.0.2.7', '~ip', 'example.net'];
  const paths = ['www.a.b.c.d.e.f.g.net', ...names].flatMap((name) =>
    ['self', 'below', 'children', 'subtree'].map((scope) => `hosts/target/${name}?scope=${scope}&period=allTime`),
  );
  const ask = async (from: TestApi, path: string) => {
    const { status, body } = await from.get(path);
    expect([path, status, hostSchema.safeParse(body).error]).toEqual([path, 200, undefined]);
    const { asOf, endDate, ...answer } = hostSchema.parse(body);
    expect(Date.parse(endDate)).toBe(Date.parse(asOf));
    return { asOf: Date.parse(asOf), answer };
  };
  const metric = async (name: string) =>
    Number(new RegExp(`^hopcount_api_${name}\\{.*\\} (.*)$`, 'm').exec(await kept.operations('/metrics'))?.[1]);
  try {
    await waitUntil(async () => (await metric('host_tree_names')) > 0, { describe: 'totals in memory' });
    await commit([to('example.net'), to('new.example.net', { class: 'bot' }), to('www.a.b.c.d.e.f.g.net')]);
    const { asOf: committed } = await ask(read, paths[0]!);
    await waitUntil(async () => (await ask(kept, paths.at(-1)!)).asOf > committed, { describe: 'a look since' });
    for (const path of paths) expect((await ask(kept, path)).answer).toEqual((await ask(read, path)).answer);
    const { answer } = await ask(read, paths.at(-1)!);
    await proxy.close();
    // A wrong kind is refused by whoever still knows the key.
    const isForgotten = async () => (await kept.get('hosts/nothing')).status === 503;
    await waitUntil(isForgotten, { describe: 'keys to be asked for again' });
    await commit([to('example.net')]);
    const [old, now] = [await ask(kept, paths.at(-1)!), await ask(read, paths.at(-1)!)];
    // Exact as of its moment, which it says.
    expect(old.answer).toEqual({ ...answer, exact: true });
    expect(old.asOf).toBeLessThan(now.asOf);
    expect(now.answer.totals.visits).toBe(answer.totals.visits + 1);
    expect((await kept.get('hosts/target/example.net')).status).toBe(503);
    expect((await read.get('hosts/target/net?period=allTime&startDate=2026-06-01')).status).toBe(400);
  } finally {
    await kept.stop();
    await read.stop();
  }
});
