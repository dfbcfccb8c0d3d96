import { expect } from '@jest/globals';

import { assertEverythingCounted, type CountedParts } from './everything-counted.js';
import type { RunningStack } from './stack.js';

/** {@link assertEverythingCounted} for specs. */
export async function expectEverythingCounted(stack: RunningStack, parts: CountedParts): Promise<void> {
  await expect(assertEverythingCounted(stack, parts)).resolves.toBeUndefined();
}
