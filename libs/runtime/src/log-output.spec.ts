import { closeSync, openSync } from 'node:fs';

import { describe, expect, it } from '@jest/globals';

import { LogOutput } from './log-output.js';

describe('log output', () => {
  it('outlives a full disk', () => {
    const full = openSync('/dev/full', 'w');
    const output = new LogOutput(full);
    expect(() => output.write('lost\n')).not.toThrow();
    closeSync(full);
  });

  it('says how many lines were dropped once there is room again', () => {
    let failure: string | undefined = 'ENOSPC';
    let written = '';
    const output = new LogOutput(1, (_, bytes, from) => {
      if (failure !== undefined) throw Object.assign(new Error(failure), { code: failure });
      const taken = Math.min(7, bytes.length - from); // the system may take a part only
      written += bytes.subarray(from, from + taken).toString();
      return taken;
    });
    output.write('one\n');
    output.write('two\n');
    failure = undefined;
    output.write('three\n');
    output.write('four\n');
    const lines = written.trimEnd().split('\n');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ dropped: 2, msg: 'log lines were dropped' });
    expect(lines.slice(1)).toEqual(['three', 'four']);
  });

  it('waits a moment for a slow reader, and drops the line when it stays slow', () => {
    let tries = 0;
    const output = new LogOutput(1, (_, bytes) => {
      tries += 1;
      if (tries === 2) return bytes.length;
      throw Object.assign(new Error('busy'), { code: 'EAGAIN' });
    });
    output.write('taken at the second try\n');
    expect(tries).toBe(2);
    output.write('dropped\n');
    expect(tries).toBeGreaterThan(3);
  });
});
