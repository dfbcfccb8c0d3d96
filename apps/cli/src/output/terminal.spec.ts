import { Readable } from 'node:stream';

import { describe, expect, it } from '@jest/globals';

import { Terminal } from './terminal.js';

function harness(isTTY: boolean) {
  const written = { stdout: '', stderr: '' };
  let nowMs = 1_000_000;
  const stream = (name: keyof typeof written) => ({ write: (text: string) => (written[name] += text), isTTY });
  const terminal = new Terminal(stream('stdout'), stream('stderr'), { color: true, nowMs: () => nowMs });
  return { terminal, written, pass: (ms: number) => (nowMs += ms) };
}

describe('what the terminal shows', () => {
  it('draws a bar in place on a terminal and takes it away before anything else is said', () => {
    const { terminal, written } = harness(true);
    terminal.progressOf(50, 200, 'records');
    terminal.progressOf(200, 200, 'records');
    terminal.message('Done.');
    expect(written.stderr).toBe(
      `\r\u001b[K[${'='.repeat(6)}${' '.repeat(18)}] 25 %  50 of 200 records` +
        `\r\u001b[K[${'='.repeat(24)}] 100 %  200 of 200 records\r\u001b[KDone.\n`,
    );
    expect(written.stdout).toBe('');
  });

  it('pours data as it comes, also when a chunk ends inside a character', async () => {
    const text = '{"title":"müsli 🥣"}\n';
    const written: Buffer[] = [];
    const stdout = { write: (data: string | Uint8Array) => written.push(Buffer.from(data as Uint8Array)) };
    const terminal = new Terminal(stdout, { write: () => undefined }, { color: false });
    await terminal.pour(Readable.from([...Buffer.from(text)].map((byte) => Buffer.of(byte))));
    expect(Buffer.concat(written).toString()).toBe(text);
  });

  it('prints plain lines elsewhere, one every five seconds, and no escape codes', () => {
    const { terminal, written, pass } = harness(false);
    for (let done = 1; done <= 12; done += 1, pass(1_000)) terminal.progressOf(done, 12, 'records');
    terminal.rows('table', [{ name: 'a', heading: 'a', value: (row: number) => row }], [7]);
    terminal.error('no');
    expect(written.stderr).toBe('8 %  1 of 12 records\n50 %  6 of 12 records\n91 %  11 of 12 records\nerror: no\n');
    expect(written.stdout).toBe('a\n7\n');
  });
});
