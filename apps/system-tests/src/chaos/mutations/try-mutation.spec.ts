import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { waitUntil } from '@hopcount/testing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

import { tryMutation } from './try-mutation.js';

/** What is run instead of chaos. It says where it is, and what of it was changed. */
const chaos = (path: string, end: string) => `
  const { mkdirSync, readFileSync, writeFileSync } = process.getBuiltinModule('node:fs');
  const report = process.argv[process.argv.indexOf('--report') + 1];
  mkdirSync(report);
  const report1 = { violations: ['a fault did not happen', 'lost (' + readFileSync('libs/a/x.js', 'utf8') + ')'] };
  writeFileSync(report + '/r.json', JSON.stringify(report1));
  process.on('SIGTERM', () => process.exit(3));
  writeFileSync(${JSON.stringify(path)}, process.cwd());
  ${end}`;

describe('the copy in which a mutation is tried', () => {
  let from: string;
  let ran: string;
  beforeEach(() => {
    from = mkdtempSync(join(tmpdir(), 'mutated-'));
    ran = join(from, 'ran');
    for (const name of ['package.json', 'package-lock.json', 'swc.options.mjs', 'deploy/x.mjs']) write(name, '{}');
    write('libs/a/x.js', 'whole');
    mkdirSync(join(from, 'node_modules/@hopcount'), { recursive: true });
  });
  afterEach(() => rmSync(from, { recursive: true }));

  function write(name: string, text: string): void {
    mkdirSync(dirname(join(from, name)), { recursive: true });
    writeFileSync(join(from, name), text);
  }
  const ranIn = () => (existsSync(ran) ? readFileSync(ran, 'utf8') : '');
  const attempt = (end: string, signal = new AbortController().signal) => {
    write('apps/system-tests/dist/chaos/main.js', chaos(ran, end));
    const edits = [{ file: 'libs/a/x.js', find: 'whole', replace: 'mutated' }];
    return tryMutation({ name: 'some', breaks: '', edits, fault: 'any' }, { from, signal });
  };
  const expectRemoved = () => {
    expect(ranIn()).toContain('hopcount-mutation-');
    expect(existsSync(ranIn())).toBe(false);
  };

  it('is removed when the mutation was noticed', async () => {
    expect(await attempt('process.exitCode = 1')).toBe('lost (mutated)');
    expectRemoved();
  });

  it('is removed when the run could not be made', async () => {
    await expect(attempt('process.exitCode = 3')).rejects.toThrow('some: the run could not be made');
    expectRemoved();
  });

  it('is removed when somebody interrupts the run, once that has ended', async () => {
    const interrupted = new AbortController();
    const trying = attempt('setInterval(() => undefined, 1000)', interrupted.signal);
    const ended = expect(trying).rejects.toThrow('the run could not be made');
    await waitUntil(() => ranIn() !== '', { describe: 'a run' });
    interrupted.abort();
    await ended;
    expectRemoved();
  });
});
