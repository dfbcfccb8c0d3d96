import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import {
  freePort,
  serviceAddress,
  sessionTimeoutMs,
  type TestDatabase,
  type TestTopic,
  waitUntil,
} from '@hopcount/testing';

import { call } from './http.js';
import { readMetric } from './metrics.js';

const SECRET = 'a secret for tests that is long enough';

/** One built app, not part of any stack. */
export interface AppProcess {
  readonly pid: number;
  /** Of its work; of its operations port where it has no other. */
  readonly url: string;
  /** Of its operations port. */
  readonly opsUrl: string;
  /** Everything it has logged. */
  log(): string;
  /** Resolves with the signal or code it ended with. */
  readonly ended: Promise<NodeJS.Signals | number | null>;
  /** @throws when it ends before */
  ready(): Promise<void>;
  metric(name: string, labels?: Record<string, string>): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  /** In order (SIGTERM), also when it is stopped or gone. */
  stop(): Promise<void>;
}

export async function startConsumerProcess(parts: {
  topic: Pick<TestTopic, 'name'>;
  database: Pick<TestDatabase, 'url'>;
  deadLetters: Pick<TestTopic, 'name'>;
  orphans?: TestTopic;
  environment?: Record<string, string>;
}): Promise<AppProcess> {
  return startApp('consumer', {
    DATABASE_URL: parts.database.url,
    VISITS_TOPIC: parts.topic.name,
    DEAD_LETTER_TOPIC: parts.deadLetters.name,
    ORPHAN_TOPIC: parts.orphans?.name ?? `${parts.topic.name}.no-orphans`,
    HOST_COUNTS_TOPIC: `${parts.topic.name}.no-counts`,
    CONSUMER_GROUP: `group-${parts.topic.name}`,
    SESSION_TIMEOUT_MS: String(sessionTimeoutMs()),
    GEO_DATABASES: '/dev/null/none.mmdb',
    ...parts.environment,
  });
}

export async function startApiProcess(parts: {
  database: Pick<TestDatabase, 'url'>;
  environment?: Record<string, string>;
}): Promise<AppProcess> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return startApp('api', { DATABASE_URL: parts.database.url, API_PORT: String(port), ...parts.environment }, url);
}

export async function startGatewayProcess(parts: {
  topic: Pick<TestTopic, 'name'>;
  database: Pick<TestDatabase, 'url'>;
  spoolFolder: string;
  environment?: Record<string, string>;
}): Promise<AppProcess> {
  const port = await freePort();
  const environment = {
    DATABASE_URL: parts.database.url,
    GATEWAY_PORT: String(port),
    VISITS_TOPIC: parts.topic.name,
    AUDIT_TOPIC: `${parts.topic.name}.no-audits`,
    ORPHAN_VISITS_PER_SECOND: '0',
    SPOOL_DIR: parts.spoolFolder,
    ...parts.environment,
  };
  return startApp('gateway', environment, `http://127.0.0.1:${port}`);
}

export async function startWorkerProcess(parts: {
  topic: Pick<TestTopic, 'name'>;
  database: Pick<TestDatabase, 'url'>;
  environment?: Record<string, string>;
}): Promise<AppProcess> {
  return startApp('worker', {
    DATABASE_URL: parts.database.url,
    VISITS_TOPIC: parts.topic.name,
    AUDIT_TOPIC: `${parts.topic.name}.no-audits`,
    CONSUMER_GROUP: `group-${parts.topic.name}`,
    ...parts.environment,
  });
}

/** On the test run's services. */
async function startApp(
  app: 'api' | 'consumer' | 'gateway' | 'worker',
  environment: Record<string, string>,
  publicUrl?: string,
): Promise<AppProcess> {
  const port = await freePort();
  const opsUrl = `http://127.0.0.1:${port}`;
  // Jest runs at the root of the repository.
  const child = spawn(process.execPath, [`${process.cwd()}/apps/${app}/dist/bundle.js`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      KAFKA_BROKERS: serviceAddress('KAFKA_BROKERS'),
      REDIS_URL: serviceAddress('REDIS_URL'),
      HOPCOUNT_SECRET: SECRET,
      LOG_LEVEL: 'fatal',
      OPS_PORT: String(port),
      ...environment,
    },
  });
  return over(app, child, { url: publicUrl ?? opsUrl, opsUrl });
}

function over(app: string, child: ChildProcess, { url, opsUrl }: { url: string; opsUrl: string }): AppProcess {
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as NodeJS.Signals | number | null);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  let log = '';
  child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()));
  return {
    pid: child.pid ?? 0,
    url,
    opsUrl,
    log: () => log,
    ended,
    ready: async () => {
      const isReady = async () => !isRunning() || (await call(`${opsUrl}/readyz`)).status === 200;
      await waitUntil(isReady, { timeoutMs: 30_000, everyMs: 100, describe: `the ${app} is ready` });
      if (!isRunning()) throw new Error(`the ${app} ended with ${await ended} before it was ready`);
    },
    metric: (name, labels) => readMetric([opsUrl], name, labels),
    signal: (signal) => void child.kill(signal),
    stop: async () => {
      if (!isRunning()) return;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
