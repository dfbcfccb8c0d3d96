import { openSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';
import { waitUntil } from '@hopcount/testing';

import { LogOutput } from './log-output.js';

/** A destination that can be full, and that takes a few bytes at a time. */
function destination() {
  const state = { failure: undefined as string | undefined, written: '' };
  const write = (_: number, bytes: Buffer) => {
    if (state.failure !== undefined) throw Object.assign(new Error(state.failure), { code: state.failure });
    const taken = Math.min(700, bytes.length);
    state.written += bytes.subarray(0, taken).toString();
    return taken;
  };
  return { state, output: new LogOutput(1, write), lines: () => state.written.trimEnd().split('\n') };
}

describe('log output', () => {
  it('outlives a full disk', () => {
    // Never closed: what waits is written to it again every 100 ms, and a socket of the next test would
    // get its number, and the line.
    const full = openSync('/dev/full', 'w');
    const output = new LogOutput(full);
    expect(() => output.write('kept for later\n')).not.toThrow();
    expect(() => output.flush()).not.toThrow();
  });

  it('writes lines that had to wait in their order, without being asked again', async () => {
    const { state, output, lines } = destination();
    state.failure = 'EAGAIN';
    const sent = Array.from({ length: 50 }, (_, n) => `${n} ${'x'.repeat(n * 10)}`);
    for (const line of sent) output.write(`${line}\n`);
    expect(state.written).toBe('');
    state.failure = undefined;
    await waitUntil(() => lines().length === sent.length, { describe: 'the lines' });
    expect(lines()).toEqual(sent);
    expect(output.dropped).toBe(0);
  });

  it('keeps 1 MiB, drops what comes after it and says how many lines were dropped', () => {
    const { state, output, lines } = destination();
    state.failure = 'ENOSPC';
    const sent = Array.from({ length: 30 }, (_, n) => `${n} ${'x'.repeat(100_000)}`);
    for (const line of sent) output.write(`${line}\n`);
    expect(output.dropped).toBe(20);
    state.failure = undefined;
    output.flush();
    expect(lines().slice(0, -1)).toEqual(sent.slice(0, 10));
    expect(JSON.parse(lines().at(-1) ?? '')).toMatchObject({ dropped: 20, msg: 'log lines were dropped' });
  });
});
