import { waitUntil } from '@hopcount/testing';

import { LinksApi } from '../../harness/links.js';
import { pick } from '../../harness/random.js';
import { flushRedis } from '../../harness/redis.js';
import type { VisitorLoad } from '../../harness/visitor-load.js';
import type { Fault } from '../fault.js';
import { killGatewayAndFlushRedis, pidsOf, waitUntilReplaced } from './processes.js';
import { targetsOf } from './targets-of.js';
import { visitAlso } from './visit-also.js';
import { whenAnswered } from './when-answered.js';

const LIMIT = 100;
const CONCURRENCY = 24;
/** At most before the fault: with all that may be under way when it comes, they leave room for others. */
const BEFORE = 40;
/** Refused once all gateways are there again, over connections that come to each of them. */
const REFUSED = 500;
const RECONNECT_ONE_IN = 5;
const FULL_WITHIN_MS = 60_000;
/** What an acknowledged edit promises, whatever fails. */
const FOLLOWED_WITHIN_MS = 60_000;

const tooLate = ({ refused }: VisitorLoad) => refused.get(404) ?? 0;

/** Far more visitors than a link may have, while a gateway is killed and Redis forgets everything. */
const limitedLink: Fault = {
  name: 'limited-link',
  rows: ['F35'],
  inject: async (world) => {
    const api = new LinksApi(world.stack.file);
    const link = await whenAnswered('a link is created', () =>
      api.create({ longUrl: 'https://example.com/limited', maxVisits: LIMIT }),
    );
    world.limited.push({ link, limit: LIMIT });
    const visitors = { concurrency: CONCURRENCY, reconnectOneIn: RECONNECT_ONE_IN, link };
    let replaced = () => Promise.resolve();
    const before = await visitAlso(world, { ...visitors, visits: BEFORE }, async (load) => {
      await waitUntil(() => load.acknowledged.size > 0, { timeoutMs: FULL_WITHIN_MS, describe: 'a visit is admitted' });
      replaced = await killGatewayAndFlushRedis(world);
    });
    // Who is admitted from here on asked after the fault.
    const after = await visitAlso(world, visitors, async (load) => {
      await replaced();
      const enough = tooLate(load) + REFUSED;
      await waitUntil(() => tooLate(load) >= enough, { timeoutMs: FULL_WITHIN_MS, describe: 'the limit is reached' });
    });
    const count = after.acknowledged.size;
    const admitted = before.acknowledged.size + count;
    if (admitted > LIMIT) throw new Error(`${admitted} visitors were sent on by a link for ${LIMIT}`);
    const what = `visitors admitted after the fault; ${tooLate(after)} came too late`;
    return { proof: () => Promise.resolve({ what, count }) };
  },
};

/** A link gets another target and another group; the api is killed as soon as it has said so, and Redis forgets. */
const editedLink: Fault = {
  name: 'edited-link',
  rows: ['links'],
  inject: async (world) => {
    const api = new LinksApi(world.stack.file);
    const link = pick(world.random, world.links);
    const number = Math.floor(world.random() * 1_000_000);
    const longUrl = `https://example.com/edited/${number}`;
    const groupId = `chaos-${number}`;
    await whenAnswered('a group is made', () => api.makeGroup(groupId));
    const apis = await pidsOf(world, 'api');
    await whenAnswered('a link is edited', () => api.edit(link.shortCode, { longUrl, groupId }));
    const editedMs = Date.now();
    for (const pid of apis) process.kill(pid, 'SIGKILL');
    await flushRedis(world.stack.file.redisUrl);
    await waitUntil(async () => (await targetsOf(world, link)).every((target) => target === longUrl), {
      timeoutMs: FOLLOWED_WITHIN_MS,
      everyMs: 200,
      describe: 'nobody is sent to the old target',
    });
    await waitUntilReplaced(world, 'api', apis, apis);
    const later = await targetsOf(world, link);
    const old = later.filter((target) => target !== longUrl).length;
    if (old > 0) throw new Error(`${old} visitors at an old target ${Date.now() - editedMs} ms after the edit`);
    return { proof: () => Promise.resolve({ what: 'looks at the new target, none at the old', count: later.length }) };
  },
};

export const LINK_FAULTS: Fault[] = [limitedLink, editedLink];
