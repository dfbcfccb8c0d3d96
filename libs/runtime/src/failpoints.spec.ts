import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startSourceProcess } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

/** In a process of its own: arming changes the whole process, and a point ends it. */
async function run(folder: string | undefined, script: string, nodeEnv = 'test') {
  const code = `import { armFailpoints, failpoint } from '@hopcount/runtime';
    armFailpoints(process.env);
    ${script}`;
  const environment = { NODE_ENV: nodeEnv, HOPCOUNT_FAILPOINTS: folder ?? '' };
  const child = startSourceProcess(code, { environment });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [exitCode, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once('close', (...ended) => resolve(ended));
  });
  return { exitCode, signal, output };
}

describe('failpoints', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'failpoints-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const hits = (times: number) =>
    `for (let n = 1; n <= ${times}; n += 1) { console.log('hit ' + n); failpoint('a.point'); }`;

  it('kill the process at the n-th hit, once, and leave the proof', async () => {
    writeFileSync(join(folder, 'a.point'), 'kill:3');
    const first = await run(folder, hits(5));
    expect([first.signal, first.output.includes('hit 3'), first.output.includes('hit 4')]).toEqual([
      'SIGKILL',
      true,
      false,
    ]);
    expect(readdirSync(folder)).toEqual([expect.stringMatching(/^a\.point\.fired-\d+$/)]);
    expect(await run(folder, hits(5))).toMatchObject({ exitCode: 0 });
  });

  it('can make a step fail instead', async () => {
    writeFileSync(join(folder, 'a.point'), 'throw:1');
    expect(await run(folder, hits(1))).toMatchObject({ exitCode: 1, output: expect.stringContaining('was armed') });
  });

  it('set the clock wrong', async () => {
    writeFileSync(join(folder, 'clock-offset'), '-7200000');
    const { output } = await run(folder, 'console.log(Date.now())');
    expect(Math.abs(Number(output) + 7_200_000 - Date.now())).toBeLessThan(600_000);
  });

  it('do nothing unless asked for, and refuse to be armed in production', async () => {
    expect(await run(undefined, hits(2), 'production')).toMatchObject({ exitCode: 0 });
    expect(await run(folder, hits(2), 'production')).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('HOPCOUNT_FAILPOINTS'),
    });
  });
});
