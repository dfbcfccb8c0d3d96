// @ts-check
import Sequencer from '@jest/test-sequencer';

/**
 * Spec files that take a minute or more, the longest first. Jest only knows how long a file takes once it has run here:
 * in a fresh clone one of these would come last, and everybody would wait for it.
 */
const LONGEST = [
  'e2e/dashboard.integration.spec.ts',
  'e2e/faults.e2e.spec.ts',
  'chaos/chaos.e2e.spec.ts',
  'e2e/crash-points.integration.spec.ts',
  'e2e/disk-full.e2e.spec.ts',
  'e2e/stack.e2e.spec.ts',
  'e2e/crash-points-beside.integration.spec.ts',
  'e2e/main-path.e2e.spec.ts',
  'archive/src/crash-points.integration.spec.ts',
  'read/link-statistics-reader.integration.spec.ts',
  'openapi/schemathesis.integration.spec.ts',
  'e2e/limits.integration.spec.ts',
  'outbox/followed-changes.integration.spec.ts',
];

/** Its types are those of the CommonJS build. */
const Base = /** @type {typeof Sequencer.default} */ (/** @type {unknown} */ (Sequencer));

export default class LongestFirst extends Base {
  /**
   * @override
   * @param {Parameters<Sequencer.default['sort']>[0]} tests
   */
  async sort(tests) {
    const rankOf = (/** @type {string} */ path) => {
      const rank = LONGEST.findIndex((end) => path.endsWith(end));
      return rank === -1 ? LONGEST.length : rank;
    };
    const usual = await super.sort(tests);
    return usual.sort((one, other) => rankOf(one.path) - rankOf(other.path));
  }
}
