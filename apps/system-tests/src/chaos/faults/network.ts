import { setTimeout as sleep } from 'node:timers/promises';

import type { Fault } from '../fault.js';
import type { ProxyFault } from '../fault-proxy.js';
import { LATE_VISITS } from '../late-visits.js';
import type { World } from '../world.js';

// A gateway's client id is the name of its process life; everybody else's is fixed.
const TESTERS = ['duplicates', 'rewind', 'poison', LATE_VISITS];
const OTHERS = new Set(['hopcount-consumer', 'hopcount-api', 'hopcount-cli', ...TESTERS]);
const isGateway = (clientId: string) => clientId !== '' && !OTHERS.has(clientId);
const isConsumer = (clientId: string) => clientId.includes('consumer');

/** A network that misbehaves for a while between the apps and one service. */
function network(
  name: string,
  service: keyof World['proxies'],
  ms: number,
  fault: ProxyFault | ((world: World) => ProxyFault),
  applies?: (clientId: string) => boolean,
): Fault {
  return {
    name,
    rows: ['F32'],
    ...(service !== 'postgres' && { topology: 'single' }),
    inject: async (world) => {
      const proxy = world.proxies[service];
      if (proxy === undefined) throw new Error(`there is no proxy before ${service}`);
      const before = proxy.touched;
      proxy.break(typeof fault === 'function' ? fault(world) : fault, applies);
      await sleep(ms);
      const count = proxy.touched - before;
      return {
        heal: () => Promise.resolve(proxy.heal()),
        proof: () => Promise.resolve({ what: `packets to or from ${service} delayed, lost or swallowed`, count }),
      };
    },
  };
}

const loseAnswers =
  (share: number) =>
  (world: World): ProxyFault => ({ kind: 'lose-answers', share, random: world.random });

export const NETWORK_FAULTS: Fault[] = [
  network('lost-kafka-acknowledgements', 'kafka', 6_000, loseAnswers(0.2), isGateway),
  network('late-kafka', 'kafka', 6_000, { kind: 'latency', ms: 120 }, isGateway),
  network('gateway-without-kafka', 'kafka', 6_000, { kind: 'blackhole' }, isGateway),
  network('consumer-without-kafka', 'kafka', 9_000, { kind: 'blackhole' }, isConsumer),
  network('lost-postgres-answers', 'postgres', 6_000, loseAnswers(0.03)),
  network('late-postgres', 'postgres', 5_000, { kind: 'latency', ms: 150 }),
  network('consumer-without-postgres', 'postgres', 6_000, { kind: 'blackhole' }),
  network('late-redis', 'redis', 5_000, { kind: 'latency', ms: 300 }),
  network('lost-redis-answers', 'redis', 5_000, loseAnswers(0.1)),
];
