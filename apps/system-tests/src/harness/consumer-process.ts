import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

import { freePort, serviceAddress, type TestDatabase, type TestTopic, waitUntil } from '@hopcount/testing';

import { call } from './http.js';
import { readMetric } from './metrics.js';

/** Jest runs at the root of the repository. */
const MAIN = `${process.cwd()}/apps/consumer/dist/main.js`;

export interface ConsumerProcess {
  readonly pid: number;
  /** Resolves with the signal or code it ended with. */
  readonly ended: Promise<NodeJS.Signals | number | null>;
  ready(): Promise<void>;
  metric(name: string, labels?: Record<string, string>): Promise<number>;
  signal(signal: NodeJS.Signals): void;
  /** In order (SIGTERM), also when it is stopped or gone. */
  stop(): Promise<void>;
}

/** One built consumer, not part of any stack, on the test run's services. */
export async function startConsumerProcess(parts: {
  topic: TestTopic;
  database: TestDatabase;
  deadLetters: TestTopic;
  environment?: Record<string, string>;
}): Promise<ConsumerProcess> {
  const port = await freePort();
  const child = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      KAFKA_BROKERS: parts.topic.brokers.join(','),
      DATABASE_URL: parts.database.url,
      REDIS_URL: serviceAddress('REDIS_URL'),
      HOPCOUNT_SECRET: 'a secret for tests that is long enough',
      CONSUMER_PORT: String(port),
      LOG_LEVEL: 'fatal',
      VISITS_TOPIC: parts.topic.name,
      DEAD_LETTER_TOPIC: parts.deadLetters.name,
      CONSUMER_GROUP: `group-${parts.topic.name}`,
      SESSION_TIMEOUT_MS: '6000',
      GEO_DATABASES: '/dev/null/none.mmdb',
      ...parts.environment,
    },
  });
  return over(child, `http://127.0.0.1:${port}`);
}

function over(child: ChildProcess, url: string): ConsumerProcess {
  const ended = once(child, 'exit').then(([code, signal]) => (signal ?? code) as NodeJS.Signals | number | null);
  const isRunning = () => child.exitCode === null && child.signalCode === null;
  return {
    pid: child.pid ?? 0,
    ended,
    ready: async () => {
      const isReady = async () => !isRunning() || (await call(`${url}/readyz`)).status === 200;
      await waitUntil(isReady, { timeoutMs: 30_000, everyMs: 100, describe: 'the consumer is ready' });
    },
    metric: (name, labels) => readMetric(url, name, labels),
    signal: (signal) => void child.kill(signal),
    stop: async () => {
      if (!isRunning()) return;
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
