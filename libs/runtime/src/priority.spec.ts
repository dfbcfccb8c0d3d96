import { text } from 'node:stream/consumers';

import { describe, expect, it } from '@jest/globals';
import { startSourceProcess } from '@hopcount/testing';

/** The priorities of all threads of a process, once some were started after its own was lowered. */
const SCRIPT = `
  import { pbkdf2 } from 'node:crypto';
  import { readdirSync } from 'node:fs';
  import { getPriority } from 'node:os';
  import { promisify } from 'node:util';
  import { goAfterOthers } from './libs/runtime/src/priority.ts';
  for (const nice of [0, 7, 3]) goAfterOthers(nice);
  await promisify(pbkdf2)('x', 'y', 1, 8, 'sha256');
  const threads = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
  console.log(JSON.stringify(threads));
`;

const itOnLinux = process.platform === 'linux' ? it : it.skip;

describe('a process that goes after others', () => {
  itOnLinux('has all of its threads at that priority, and never raises it again', async () => {
    const { stdout, stderr } = startSourceProcess(SCRIPT);
    if (stdout === null || stderr === null) throw new Error('it has no pipes');
    const [said, wrong] = await Promise.all([text(stdout), text(stderr)]);
    if (said === '') throw new Error(wrong);
    const priorities = JSON.parse(said) as number[];
    expect(priorities.length).toBeGreaterThan(1);
    // The machine may have started this one at a lower priority already.
    for (const priority of priorities) expect(priority).toBeGreaterThanOrEqual(7);
  });
});
