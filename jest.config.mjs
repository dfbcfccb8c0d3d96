// @ts-check
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { preset } from './jest.preset.mjs';

// Commands look for a running stack there unless told: that of `npm start` in this checkout is not the tests'.
process.env['HOPCOUNT_DATA_DIR'] = join(tmpdir(), 'hopcount-no-stack');

const roots = ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/deploy/observability'];

/**
 * `*.spec.ts` pure unit tests; `*.integration.spec.ts` on real Kafka, PostgreSQL and Redis (addresses
 * in KAFKA_BROKERS, DATABASE_URL, REDIS_URL; `npm test` sets them); `*.e2e.spec.ts` drive built apps, `*.alone.spec.ts` too, and need the machine to themselves;
 * `*.machines.spec.ts` (`npm run test:machines`) are on services of several nodes.
 */
export default {
  // One more than this project's machines have cores: a test waits for Kafka, timeouts and processes a third of its time.
  maxWorkers: 3,
  // A worker keeps something of every file it ran (promise hooks, observers, modules): a third of an old one's time goes there.
  workerIdleMemoryLimit: '1200MB',
  testSequencer: './jest.sequencer.mjs',
  // Far beyond what any needs: a busy machine fails nothing that is right.
  testTimeout: 240_000,
  projects: [
    {
      ...preset,
      displayName: 'unit',
      roots,
      testMatch: ['**/*.spec.ts'],
      testPathIgnorePatterns: ['\\.(integration|e2e|alone|machines)\\.spec\\.ts$'],
    },
    { ...preset, displayName: 'integration', roots, testMatch: ['**/*.integration.spec.ts'] },
    { ...preset, displayName: 'e2e', roots: ['<rootDir>/apps/system-tests'], testMatch: ['**/*.e2e.spec.ts'] },
    {
      ...preset,
      displayName: 'machines',
      roots: ['<rootDir>/apps/system-tests'],
      testMatch: ['**/*.machines.spec.ts'],
    },
    { ...preset, displayName: 'alone', roots: ['<rootDir>/apps/system-tests'], testMatch: ['**/*.alone.spec.ts'] },
  ],
};
