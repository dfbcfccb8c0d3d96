import { execFileSync } from 'node:child_process';

import { beforeAll, describe, expect, it } from '@jest/globals';

const BOUNDARIES = '@nx/enforce-module-boundaries';
const VENDORS = 'no-restricted-imports';

interface Case {
  filePath: string;
  imported: string;
  rule: string | undefined;
}

/** Each import stands in for the whole content of a file that exists, so its project is known. */
const CASES: Case[] = [
  { filePath: 'apps/gateway/src/main.ts', imported: '@hopcount/statistics', rule: BOUNDARIES },
  { filePath: 'apps/system-tests/src/harness/stack.ts', imported: '@hopcount/statistics', rule: BOUNDARIES },
  { filePath: 'libs/contracts/src/index.ts', imported: '@hopcount/runtime', rule: BOUNDARIES },
  { filePath: 'libs/statistics/src/index.ts', imported: '@hopcount/links', rule: BOUNDARIES },
  { filePath: 'libs/ledger/src/index.ts', imported: '@hopcount/statistics', rule: BOUNDARIES },
  { filePath: 'apps/gateway/src/main.ts', imported: '@hopcount/ledger', rule: BOUNDARIES },
  { filePath: 'libs/redis/src/index.ts', imported: '@hopcount/postgres', rule: BOUNDARIES },
  { filePath: 'libs/kafka/src/index.ts', imported: '@hopcount/statistics', rule: BOUNDARIES },
  { filePath: 'apps/consumer/src/main.ts', imported: 'kafkajs', rule: VENDORS },
  { filePath: 'libs/links/src/index.ts', imported: 'ioredis', rule: VENDORS },
  { filePath: 'apps/api/src/main.ts', imported: 'pg', rule: VENDORS },
  { filePath: 'libs/statistics/src/index.ts', imported: 'typeorm', rule: VENDORS },
  { filePath: 'apps/gateway/src/main.ts', imported: '@hopcount/links', rule: undefined },
  { filePath: 'libs/statistics/src/index.ts', imported: '@hopcount/ledger', rule: undefined },
  { filePath: 'apps/consumer/src/main.ts', imported: '@hopcount/ledger', rule: undefined },
  { filePath: 'libs/kafka/src/index.ts', imported: 'kafkajs', rule: undefined },
];

/** In a file that handles bytes. */
const UNCLEARED = { filePath: 'libs/kafka/src/index.ts', text: 'Buffer.allocUnsafe(1);\nBuffer.allocUnsafeSlow(1);\n' };

describe('who may import whom', () => {
  let broken: string[][];

  beforeAll(() => {
    const env = { ...process.env, NX_DAEMON: 'false', NODE_OPTIONS: '' };
    // Without the project graph the rule would be silent about everything.
    execFileSync('node_modules/.bin/nx', ['show', 'projects'], { env, stdio: 'pipe' });
    const imports = CASES.map(({ filePath, imported }) => ({ filePath, text: `import '${imported}';\n` }));
    const input = JSON.stringify([...imports, UNCLEARED]);
    const output = execFileSync(process.execPath, ['deploy/checks/lint-texts.mjs'], { env, input, encoding: 'utf8' });
    broken = (JSON.parse(output) as { rules: string[] }[]).map(({ rules }) => rules);
  }, 120_000);

  it.each(CASES.map((one, index) => ({ ...one, index })))('$filePath importing $imported: $rule', ({ rule, index }) => {
    expect(broken[index]).toEqual(rule === undefined ? [] : [rule]);
  });

  it('refuses memory that is not cleared', () => {
    expect(broken.at(-1)).toEqual(['no-restricted-properties', 'no-restricted-properties']);
  });
});
