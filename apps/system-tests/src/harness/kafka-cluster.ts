import { freePorts } from '@hopcount/testing';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type ChildSpec, endChild, JAVA_OPTIONS, launch, loadDeploy, terminateChild } from './own-services.js';

/** Several brokers on this machine, each a controller, too: any of them may be killed and started again. */
export interface KafkaCluster {
  /** As KAFKA_BROKERS wants it: all of them. */
  readonly brokers: string;
  /** kill -9 of that broker, from 0 on. */
  kill(broker: number): Promise<void>;
  /** Ends in good order, so that others lead first, and starts again. */
  restart(broker: number): Promise<void>;
  /** Of all that run. */
  pids(): number[];
  /** Again, on its own data; resolves once it answers. */
  start(broker: number): Promise<void>;
  /** Those that do not run: for whoever comes after a case that failed. */
  startMissing(): Promise<void>;
  stop(): Promise<void>;
}

export async function startKafkaCluster(size = 3): Promise<KafkaCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-brokers-'));
  const ports = await freePorts(2 * size);
  const [clientPorts, controllerPorts] = [ports.slice(0, size), ports.slice(size)];
  const specs: ChildSpec[] = [];
  const children: ChildProcess[] = [];
  const start = async (broker: number) => {
    const started: ChildProcess[] = [];
    const isUp = launch(specs[broker]!, started);
    children[broker] = started[0]!;
    await isUp;
  };
  const stop = async () => {
    await Promise.all(children.map((child) => endChild(child)));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const { prepareKafka } = await loadDeploy();
    const id = randomUUID();
    const env = { ...process.env, JAVA_TOOL_OPTIONS: JAVA_OPTIONS };
    for (const [index, port] of clientPorts.entries()) {
      const cluster = { id, nodeId: index + 1, controllerPorts };
      const own = { port, folder: join(folder, String(index)), log: join(folder, `${index}.log`), env };
      specs.push(await prepareKafka({ ...own, cluster, isThrowaway: true }));
    }
    // None answers before most of them are there.
    await Promise.all(specs.map((_, broker) => start(broker)));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    brokers: clientPorts.map((port) => `127.0.0.1:${port}`).join(','),
    kill: async (broker) => endChild(children[broker]!),
    restart: async (broker) => {
      await terminateChild(children[broker]!);
      await start(broker);
    },
    pids: () => children.filter(runs).map(pidOf),
    start,
    startMissing: async () => {
      await Promise.all(children.map(async (child, broker) => runs(child) || start(broker)));
    },
    stop,
  };
}

function runs({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('a broker has not been started');
  return pid;
}
