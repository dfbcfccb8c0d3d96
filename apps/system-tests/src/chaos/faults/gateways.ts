import { setTimeout as sleep } from 'node:timers/promises';

import type { ShortUrl } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';

import { pick } from '../../harness/random.js';
import type { Fault } from '../fault.js';
import { visitAlso } from './visit-also.js';

const HOT_LINK_MS = 6_000;
const FULL_WITHIN_MS = 60_000;
const CLOCK_MS = 3_000;
const TEN_MINUTES_MS = 600_000;

const hotLink: Fault = {
  name: 'hot-link',
  rows: ['F29'],
  inject: async (world) => {
    const before = world.load.acknowledged.size;
    const hot = await visitAlso(world, { concurrency: 48, link: pick(world.random, world.links) }, () =>
      sleep(HOT_LINK_MS),
    );
    const others = world.load.acknowledged.size - before - hot.acknowledged.size;
    const share = Math.round((100 * hot.acknowledged.size) / (hot.acknowledged.size + others));
    const count = share >= 50 ? hot.acknowledged.size : 0;
    return { proof: () => Promise.resolve({ what: `visits of one link, ${share} % of all`, count }) };
  },
};

/** No broker and more visits than the disk may hold: refused with 503, which is not lost. */
const spoolFull: Fault = {
  name: 'spool-full',
  rows: ['F20'],
  topology: 'single',
  inject: async (world) => {
    const refused = () => world.load.refused.get(503) ?? 0;
    const before = refused();
    await world.stack.hold('kafka');
    const full = () =>
      waitUntil(() => refused() > before, { timeoutMs: FULL_WITHIN_MS, describe: 'a visit is refused' });
    try {
      await visitAlso(world, { concurrency: 48, link: world.links[0] as ShortUrl }, full);
    } catch (error) {
      await world.stack.resume('kafka');
      throw error;
    }
    return {
      heal: () => world.stack.resume('kafka'),
      proof: () => Promise.resolve({ what: 'visits refused with 503', count: refused() - before }),
    };
  },
};

/** Every gateway's and consumer's clock jumps, visits go on, and it jumps back. */
function clockJump(name: string, offsetMs: number): Fault {
  return {
    name,
    rows: ['clock'],
    inject: async (world) => {
      const { failpoints, load } = world;
      failpoints.setClockOffset(offsetMs);
      await sleep(CLOCK_MS);
      const stamped = [...load.acknowledged.keys()].slice(-1_000).filter((id) => isSkewed(id, offsetMs));
      failpoints.setClockOffset(0);
      await sleep(CLOCK_MS);
      return { proof: () => Promise.resolve({ what: 'visits stamped by a wrong clock', count: stamped.length }) };
    },
  };
}

function isSkewed(eventId: string, offsetMs: number): boolean {
  const time = Number.parseInt(eventId.replaceAll('-', '').slice(0, 12), 16);
  return Math.abs(time - Date.now() - offsetMs) < 60_000;
}

/** A gateway that starts with a clock two hours slow: its visits belong to an hour that is folded already. */
const slowClock: Fault = {
  name: 'gateway-two-hours-slow',
  rows: ['clock'],
  inject: async (world) => {
    const offsetMs = -2 * 3_600_000;
    world.failpoints.setClockOffset(offsetMs);
    const pid = pick(world.random, (await world.stack.read()).processes.gateway);
    process.kill(pid, 'SIGKILL');
    const stamped = () =>
      [...world.load.acknowledged.keys()].slice(-2_000).filter((id) => isSkewed(id, offsetMs)).length;
    let count = 0;
    try {
      await waitUntil(() => (count = stamped()) > 0, { timeoutMs: 60_000, describe: 'a visit of two hours ago' });
      await sleep(CLOCK_MS);
    } finally {
      world.failpoints.setClockOffset(0);
    }
    return { proof: () => Promise.resolve({ what: 'visits of two hours ago', count }) };
  },
};

export const GATEWAY_FAULTS: Fault[] = [
  hotLink,
  spoolFull,
  clockJump('clock-ten-minutes-fast', TEN_MINUTES_MS),
  slowClock,
];
