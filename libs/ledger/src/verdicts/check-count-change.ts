import { type WaitServices, waitUntilReached } from '../lag/wait-until-counted.js';
import type { ActionCounts, ActionResult } from '../operations/operator-action.js';
import type { ExpectedCount } from './expected-count.js';

/** Waits until all that was sent is counted and says whether the count changed as expected; `waitMs` null: does neither. */
export async function checkCountChange<Counts extends ActionCounts>(
  services: WaitServices,
  { expected, counts, waitMs }: { expected: ExpectedCount; counts: Counts; waitMs: number | null },
): Promise<ActionResult & { counts: Counts & { expectedCountChange: number; actualCountChange?: number } }> {
  const expectedCountChange = expected.size;
  if (waitMs === null) return { outcome: 'done', counts: { ...counts, expectedCountChange } };
  await waitUntilReached(services, waitMs);
  const actualCountChange = await expected.counted(services.database);
  const outcome = expectedCountChange === actualCountChange ? 'done' : 'mismatch';
  return { outcome, counts: { ...counts, expectedCountChange, actualCountChange } };
}
