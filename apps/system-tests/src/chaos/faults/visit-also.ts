import type { ShortUrl } from '@hopcount/contracts';

import { VisitorLoad } from '../../harness/visitor-load.js';
import type { World } from '../world.js';

const PAUSE_MS = 5;

interface Visitors {
  link: ShortUrl;
  concurrency: number;
  reconnectOneIn?: number;
  /** No more are acknowledged. */
  visits?: number;
}

/** Visits of the fault's own until that is done; the final check knows of them. */
export async function visitAlso(
  world: World,
  { link, visits = Number.MAX_SAFE_INTEGER, ...visitors }: Visitors,
  until: (load: VisitorLoad) => Promise<unknown>,
): Promise<VisitorLoad> {
  const load = new VisitorLoad({
    gatewayUrl: world.stack.file.gatewayUrl,
    links: [link],
    ...visitors,
    seed: Math.floor(world.random() * 2 ** 31),
  });
  const stop = new AbortController();
  const running = load.run(visits, { signal: stop.signal, pauseMs: PAUSE_MS });
  try {
    await until(load);
  } finally {
    stop.abort();
    await running;
    load.close();
    world.load.absorb(load);
  }
  return load;
}
