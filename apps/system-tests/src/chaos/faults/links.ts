import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { type Answer, call } from '../../harness/http.js';
import { LinksApi } from '../../harness/links.js';
import { pick } from '../../harness/random.js';
import { flushRedis } from '../../harness/redis.js';
import type { VisitorLoad } from '../../harness/visitor-load.js';
import type { Fault } from '../fault.js';
import type { World } from '../world.js';
import { pidsOf, waitUntilReplaced } from './processes.js';
import { visitAlso } from './visit-also.js';

const LIMIT = 60;
const API_WITHIN_MS = 60_000;
const FULL_WITHIN_MS = 60_000;
/** What an acknowledged edit promises, whatever fails. */
const FOLLOWED_WITHIN_MS = 60_000;
/** One after the other from new connections, which gateways that share a port take in turn. */
const LOOKS = 20;

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
    const rush = await visitAlso(world, { concurrency: 24, link }, async (load) => {
      const gateways = await pidsOf(world, 'gateway');
      const gone = pick(world.random, gateways);
      await waitUntil(() => load.acknowledged.size > 0, { timeoutMs: FULL_WITHIN_MS, describe: 'a visit is admitted' });
      process.kill(gone, 'SIGKILL');
      await flushRedis(world.stack.file.redisUrl);
      await waitUntilReplaced(world, 'gateway', gateways, [gone]);
      await waitUntil(() => tooLate(load) > 0, { timeoutMs: FULL_WITHIN_MS, describe: 'the limit is reached' });
    });
    const admitted = rush.acknowledged.size;
    if (admitted > LIMIT) throw new Error(`${admitted} visitors were sent on by a link for ${LIMIT}`);
    return {
      proof: () => Promise.resolve({ what: `visitors who came too late, after ${admitted}`, count: tooLate(rush) }),
    };
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

/** A host is blocked while a gateway is killed and Redis forgets: nobody is sent there, until the block goes. */
const blockedHost: Fault = {
  name: 'blocked-host',
  rows: ['blocks'],
  inject: async (world) => {
    const api = new LinksApi(world.stack.file);
    const host = `blocked-${Math.floor(world.random() * 1_000_000)}.example`;
    const longUrl = `https://www.${host}/`;
    const link = await whenAnswered('a link is created', () => api.create({ longUrl }));
    const block = await whenAnswered('a host is blocked', () => api.block(host));
    const gateways = await pidsOf(world, 'gateway');
    const gone = pick(world.random, gateways);
    process.kill(gone, 'SIGKILL');
    await flushRedis(world.stack.file.redisUrl);
    await waitUntilReplaced(world, 'gateway', gateways, [gone]);
    const wait = { timeoutMs: FOLLOWED_WITHIN_MS, everyMs: 500 };
    const isBlocked = async () => (await targetsOf(world, link)).every((target) => target === undefined);
    await waitUntil(isBlocked, { ...wait, describe: 'nobody is sent to the blocked host' });
    const refused = (await statusesOf(world, link)).filter((status) => status === 410).length;
    if (refused !== LOOKS) throw new Error(`${LOOKS - refused} of ${LOOKS} visitors were not told that it is blocked`);
    await whenAnswered('the block is removed', () => api.unblock(block.id));
    const isOpen = async () => (await targetsOf(world, link)).every((target) => target === longUrl);
    await waitUntil(isOpen, { ...wait, describe: 'the link leads there again' });
    return { proof: () => Promise.resolve({ what: 'looks at a blocked host, none sent there', count: refused }) };
  },
};

async function targetsOf(world: World, link: ShortUrl): Promise<(string | undefined)[]> {
  return (await looksAt(world, link)).map(({ headers }) => headers.location);
}

async function statusesOf(world: World, link: ShortUrl): Promise<number[]> {
  return (await looksAt(world, link)).map(({ status }) => status);
}

/** HEAD: says where a visitor would go, and is no visit. */
async function looksAt({ stack }: World, { shortCode, shortUrl }: ShortUrl): Promise<Answer[]> {
  const looks: Answer[] = [];
  const headers = { host: new URL(shortUrl).host, connection: 'close' };
  for (let look = 0; look < LOOKS; look += 1) {
    looks.push(await call(`${stack.file.gatewayUrl}/${shortCode}`, { method: 'HEAD', headers }));
  }
  return looks;
}

async function whenAnswered<T>(describe: string, work: () => Promise<T>): Promise<NonNullable<T>> {
  let last: unknown;
  const tried = () =>
    work().catch((error: unknown) => {
      last = error;
      return undefined;
    });
  try {
    return await waitUntil(tried, { timeoutMs: API_WITHIN_MS, everyMs: 500, describe });
  } catch (error) {
    throw new Error(`${(error as Error).message}: ${String(last)}`, { cause: last });
  }
}

export const LINK_FAULTS: Fault[] = [limitedLink, editedLink, blockedHost];
