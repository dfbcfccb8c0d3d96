import { join } from 'node:path';

import { jarsOf, javaCommand } from './test-jars.js';
import { TestServer } from './test-server.js';

const START_TIMEOUT_MS = 120_000;
const JAR = 'zipkin-server-3.4.4-slim.jar';

export interface ZipkinSpan {
  traceId: string;
  parentId?: string;
  id: string;
  kind?: string;
  name: string;
  /** Microseconds. */
  timestamp: number;
  duration: number;
  localEndpoint: { serviceName: string };
  tags?: Record<string, string>;
}

export interface TestZipkin {
  /** As TRACES_URL wants it. */
  readonly url: string;
  /** All that is known of it; empty: nothing. */
  trace(traceId: string): Promise<ZipkinSpan[]>;
  close(): Promise<void>;
}

/** A Zipkin that keeps traces in memory. */
export async function testZipkin(): Promise<TestZipkin> {
  const jars = await jarsOf('zipkin');
  const server = await TestServer.start({
    name: 'Zipkin',
    command: javaCommand(),
    args: (port) => [...options(port), '-jar', join(jars, JAR)],
    answers: async (port) => (await ask(port, '/health'))?.ok === true,
    startTimeoutMs: START_TIMEOUT_MS,
  });
  return {
    url: `http://127.0.0.1:${server.port}/api/v2/spans`,
    trace: async (traceId) => {
      const answer = await ask(server.port, `/api/v2/trace/${traceId}`);
      return answer?.ok === true ? ((await answer.json()) as ZipkinSpan[]) : [];
    },
    close: () => server.end('SIGKILL'),
  };
}

function options(port: number): string[] {
  const [ip, at] = ['-Darmeria.ports[0].ip=127.0.0.1', `-Darmeria.ports[0].port=${port}`];
  return ['-Xmx192m', '-XX:TieredStopAtLevel=1', ip, at, '-Darmeria.ports[0].protocols[0]=http'];
}

function ask(port: number, path: string): Promise<Response | undefined> {
  // Undefined: it does not listen yet, and is asked again.
  return fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(3_000) }).catch(() => undefined);
}
