import { type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

import { startSourceProcess, waitUntil } from '@hopcount/testing';
import { afterEach, describe, expect, it } from '@jest/globals';

/** A server that logs `lines` lines of 1 KB at a request for /log, and as it stops. */
const SERVER = `
  import { createServer } from 'node:http';
  import { createLogger, createMetricsRegistry, onShutdownSignal } from '@hopcount/runtime';

  const logger = createLogger({ name: 'spec', level: 'info' });
  const metrics = createMetricsRegistry({ process: 'spec', name: 'spec', version: '1' });
  onShutdownSignal({ graceMs: 20_000, logger, stop: async () => logger.info('the last line') });
  const server = createServer(async (request, response) => {
    const url = new URL(request.url, 'http://localhost');
    for (let line = 0; line < Number(url.searchParams.get('lines')); line += 1) logger.info({ line, pad: 'x'.repeat(1_000) });
    if (url.pathname === '/crash') setImmediate(() => { throw new Error('nobody caught this') });
    response.end(await metrics.metrics());
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
`;

describe('a process whose log is not read', () => {
  let child: ChildProcess;
  let port: unknown;
  let log: string;

  const start = async () => {
    child = startSourceProcess(SERVER, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    child.stdout?.pause();
    log = '';
    [port] = (await once(child, 'message')) as unknown[];
  };
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, { signal: AbortSignal.timeout(5_000) });
    return answer.text();
  };
  /** Everything in the log from now on, once the process has ended. */
  const readLog = async () => {
    child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
    child.stdout?.resume();
    if (child.exitCode === null) await once(child, 'exit');
    await waitUntil(() => child.stdout?.readableEnded, { describe: 'the end of the log' });
    return log
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { line?: number; dropped?: number; msg?: string; err?: { message: string } });
  };
  afterEach(() => {
    child.kill('SIGKILL');
  });

  it('goes on answering, counts the lines it drops and says how many they were', async () => {
    await start();
    const metrics = await ask('/log?lines=8000');
    const dropped = Number(/^hopcount_log_lines_dropped_total(?:\{.*\})? (\d+)$/m.exec(metrics)?.[1]);
    expect(dropped).toBeGreaterThan(0);
    const reading = readLog();
    // A last line that finds no room would be dropped, too.
    const linesRead = () => log.match(/"line":\d+,.*\n/g)?.length;
    await waitUntil(() => linesRead() === 8_000 - dropped, { describe: 'all lines that were kept' });
    child.kill('SIGTERM');
    const lines = await reading;
    expect(child.exitCode).toBe(0);
    expect(lines.map(({ msg }) => msg)).toContain('the last line');
    expect(lines.filter(({ line }) => line !== undefined)).toHaveLength(8_000 - dropped);
    expect(lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0)).toBe(dropped);
  });

  it('ends at SIGTERM although nobody reads', async () => {
    await start();
    await ask('/log?lines=8000');
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  it('ends with 1 at an error nobody caught, and the log says which it was', async () => {
    await start();
    await ask('/crash?lines=500');
    const lines = await readLog();
    expect(child.exitCode).toBe(1);
    expect(lines.at(-1)).toMatchObject({ err: { message: 'nobody caught this' } });
    expect(lines.filter(({ line }) => line !== undefined)).toHaveLength(500);
  });
});
