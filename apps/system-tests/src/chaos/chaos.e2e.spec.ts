import { describe, expect, it } from '@jest/globals';

import { faultsNamed } from './faults/index.js';
import { runChaos } from './run-chaos.js';

/**
 * The short run of `npm test`: always these faults, in the order that the seed makes, one of each way in
 * which a visit could be lost or doubled. `npm run chaos` has them all.
 */
const SELECTION = [
  'kill-at-gateway-after-ack-before-answer',
  'kill-at-gateway-spool-after-append-before-fsync',
  'kill-at-consumer-mid-transaction',
  'kill-at-consumer-after-commit-before-marks',
  'lost-kafka-acknowledgements',
  'lost-postgres-answers',
  'crash-postgres',
  'deadlock',
  'flush-redis',
  'poison',
  'kill-at-archive-before-commit',
  'purge-sealed-visits',
  'zombie-consumer',
  'replay-with-empty-redis',
];
const SEED = 1;
const RUN_MS = 900_000;

describe('faults under load', () => {
  it(
    'lose no visit, double none, and each of them happens',
    async () => {
      const lines: string[] = [];
      const report = await runChaos({
        seed: SEED,
        minutes: 0,
        // Another stack runs beside this one.
        visitPauseMs: 100,
        faults: faultsNamed(SELECTION),
        say: (line) => lines.push(line),
      });
      expect({ violations: report.violations, lines }).toEqual({ violations: [], lines });
      expect(report.faults.map(({ name }) => name).sort()).toEqual([...SELECTION].sort());
      expect(report.faults.filter(({ proof }) => proof.count === 0)).toEqual([]);
      expect(report.acknowledged).toBeGreaterThan(1_000);
    },
    RUN_MS,
  );
});
