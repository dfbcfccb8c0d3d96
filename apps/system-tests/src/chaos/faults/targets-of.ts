import type { ShortUrl } from '@hopcount/contracts';

import { call } from '../../harness/http.js';
import type { World } from '../world.js';

/** One after the other from new connections, which gateways that share a port take in turn. */
const LOOKS = 20;

/** Where visitors would be sent now; undefined: nowhere. HEAD, so these are no visits. */
export async function targetsOf({ stack }: World, { shortCode, shortUrl }: ShortUrl): Promise<(string | undefined)[]> {
  const targets: (string | undefined)[] = [];
  const headers = { host: new URL(shortUrl).host, connection: 'close' };
  for (let look = 0; look < LOOKS; look += 1) {
    const answer = await call(`${stack.file.gatewayUrl}/${shortCode}`, { method: 'HEAD', headers });
    targets.push(answer.headers.location);
  }
  return targets;
}
