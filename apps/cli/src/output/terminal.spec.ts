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
  it('renews one line on a terminal, with a bar, the rate and the time left, and ends it at 100 %', () => {
    const { terminal, written, pass } = harness(true);
    const progress = terminal.startProgress('records', 200);
    pass(2_000);
    progress.at(50);
    progress.at(60);
    pass(500);
    progress.at(100);
    progress.end(200);
    terminal.message('Done.');
    const bar = (filled: number) => `\r\u001b[K[${'='.repeat(filled)}${' '.repeat(24 - filled)}] `;
    expect(written.stderr).toBe(
      `${bar(6)}25 %  50 of 200 records, 25/s, 6 s left` +
        `${bar(12)}50 %  100 of 200 records, 40/s, 3 s left` +
        `${bar(24)}100 %  200 records, 80/s, in 3 s\nDone.\n`,
    );
    expect(written.stdout).toBe('');
  });

  it('takes away what is being done before anything else is said', () => {
    const { terminal, written } = harness(true);
    terminal.progress('comparing');
    terminal.message('Done.');
    expect(written.stderr).toBe('\r\u001b[Kcomparing\r\u001b[KDone.\n');
  });

  it('gives neither a share nor a time of a number that is not known, or too low', () => {
    const { terminal, written, pass } = harness(false);
    const progress = terminal.startProgress('links');
    pass(4_000);
    progress.at(30_000, { doing: 'of one domain' });
    pass(6_000);
    progress.at(50_000, { total: 40_000 });
    progress.end();
    terminal.startProgress('records', 0).end();
    expect(written.stderr).toBe(
      '30000 links, 7500/s, of one domain\n50000 links, 5000/s\n100 %  50000 links, 5000/s, in 10 s\n',
    );
  });

  it('shows steps by their names, and all of them as done in the end', async () => {
    const { terminal, written, pass } = harness(false);
    const result = await terminal.inSteps('checks', (onStep) => {
      onStep('purges', 0, 3);
      pass(10_000);
      onStep('limits', 1, 3);
      return Promise.resolve(pass(5_000));
    });
    expect(result).toBeGreaterThan(0);
    expect(written.stderr).toBe(
      '0 %  0 of 3 checks, purges\n33 %  1 of 3 checks, 0.1/s, 20 s left, limits\n100 %  3 checks, 0.2/s, in 15 s\n',
    );
  });

  it('puts a block in place of the one before on a terminal, and after it elsewhere', () => {
    const shown = (isTTY: boolean) => {
      const { terminal, written } = harness(isTTY);
      for (const text of ['a', 'b']) {
        terminal.beginBlock(`at ${text}`);
        terminal.data(`${text}\n`);
      }
      return [written.stdout, written.stderr];
    };
    expect(shown(true)).toEqual(['\u001b[H\u001b[Ja\n\u001b[H\u001b[Jb\n', 'at a\nat b\n']);
    expect(shown(false)).toEqual(['a\nb\n', 'at a\nat b\n']);
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
    const progress = terminal.startProgress('records', 12);
    for (let done = 1; done <= 12; done += 1, pass(1_000)) progress.at(done);
    progress.end();
    terminal.rows('table', [{ name: 'a', heading: 'a', value: (row: number) => row }], [7]);
    terminal.error('no');
    expect(written.stderr).toBe(
      '8 %  1 of 12 records\n50 %  6 of 12 records, 1.2/s, 5 s left\n91 %  11 of 12 records, 1.1/s, 1 s left\n' +
        '100 %  12 records, 1.0/s, in 12 s\nerror: no\n',
    );
    expect(written.stdout).toBe('a\n7\n');
  });
});
