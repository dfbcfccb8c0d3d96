import type { BenchStack } from './bench-stack.js';
import { benchCatchUp } from './outage-catch-up.js';
import { benchDrain } from './outage-drain.js';
import { benchRedirectsInOutages } from './outage-redirects.js';
import type { Section } from './report.js';

/**
 * (f) What visitors see while a service is away, and how fast the rest recovers. The consumer's part
 * comes first: the others leave more visits in the topic than it could count in a minute.
 */
export async function benchOutages(bench: BenchStack): Promise<Section[]> {
  const catchUp = await benchCatchUp(bench);
  return [await benchRedirectsInOutages(bench), await benchDrain(bench), catchUp];
}
