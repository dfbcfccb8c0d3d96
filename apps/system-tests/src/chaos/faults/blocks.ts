import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { LinksApi } from '../../harness/links.js';
import type { VisitorLoad } from '../../harness/visitor-load.js';
import type { Fault } from '../fault.js';
import type { World } from '../world.js';
import { loseGatewayAndRedis } from './processes.js';
import { targetsOf } from './targets-of.js';
import { visitAlso } from './visit-also.js';
import { whenAnswered } from './when-answered.js';

const FOLLOWED_WITHIN_MS = 60_000;
const REFUSED = 100;
const VISITORS = 4;
const VISITED_WITHIN_MS = 60_000;

const refusedBy = ({ refused }: VisitorLoad) => refused.get(410) ?? 0;

/**
 * A host is blocked under visitors, while a gateway is killed and Redis forgets: a minute later nobody is sent there, others
 * still are; the refused are counted apart. Then the block goes, and the link leads there again.
 */
const blockedHost: Fault = {
  name: 'blocked-host',
  rows: ['blocks'],
  inject: async (world) => {
    const api = new LinksApi(world.stack.file);
    const host = `blocked-${Math.floor(world.random() * 1_000_000)}.example`;
    const link = await makeLink(world, api, `https://www.${host}/`);
    const other = await makeLink(world, api, `https://not-${host}/`);
    let blockId = '';
    await visitsOf(world, link, async (load) => {
      await waitUntil(() => load.acknowledged.size > 0, { timeoutMs: VISITED_WITHIN_MS, describe: 'a visit' });
      blockId = (await whenAnswered('a host is blocked', () => api.block(host))).id;
      const until = Date.now() + FOLLOWED_WITHIN_MS;
      await loseGatewayAndRedis(world);
      const isBlocked = async () => (await targetsOf(world, link)).every((target) => target === undefined);
      const timeoutMs = Math.max(until - Date.now(), 1);
      await waitUntil(isBlocked, { timeoutMs, everyMs: 500, describe: 'nobody is sent to the blocked host' });
    });
    const blocked = await visitsOf(world, link, (load) =>
      waitUntil(() => refusedBy(load) >= REFUSED, {
        timeoutMs: VISITED_WITHIN_MS,
        describe: `${REFUSED} visitors are told that it is blocked`,
      }),
    );
    const { size: sent } = blocked.acknowledged;
    if (sent > 0) throw new Error(`${sent} visitors were sent to a blocked host`);
    if ((await targetsOf(world, other)).some((target) => target !== other.longUrl)) {
      throw new Error('another host went with the blocked host');
    }
    await whenAnswered('the block is removed', () => api.unblock(blockId));
    await visitsOf(world, link, (load) =>
      waitUntil(() => load.acknowledged.size > 0, {
        timeoutMs: FOLLOWED_WITHIN_MS,
        describe: 'visitors are sent there again',
      }),
    );
    return {
      proof: async () => ({ what: 'visits of a blocked host, counted apart', count: await apart(world, link) }),
    };
  },
};

async function makeLink({ made }: World, api: LinksApi, longUrl: string): Promise<ShortUrl> {
  const link = await whenAnswered('a link is created', () => api.create({ longUrl }));
  made.push(link);
  return link;
}

function visitsOf(world: World, link: ShortUrl, until: (load: VisitorLoad) => Promise<unknown>): Promise<VisitorLoad> {
  return visitAlso(world, { concurrency: VISITORS, link }, until);
}

/** They are kept best effort, so some may be missing: a killed gateway has those of its last moment. */
async function apart({ ledger }: World, { shortCode }: ShortUrl): Promise<number> {
  await waitUntil(async () => (await ledger.blockedVisits(shortCode)) > 0, {
    timeoutMs: VISITED_WITHIN_MS,
    everyMs: 200,
    describe: 'blocked visits are counted apart',
  });
  return ledger.blockedVisits(shortCode);
}

export const BLOCK_FAULTS: Fault[] = [blockedHost];
