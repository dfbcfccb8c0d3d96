import { type ChildProcess, spawn } from 'node:child_process';

import { freePort } from './free-port.js';
import { waitUntil } from './wait-until.js';

export interface ServerKind {
  /** For messages. */
  name: string;
  command: string;
  args: (port: number) => string[];
  answers: (port: number) => Promise<boolean>;
  startTimeoutMs: number;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** A server of a test's own on a free port, so that the test may stop, kill or freeze it. */
export class TestServer {
  private constructor(
    private readonly kind: ServerKind,
    readonly port: number,
    private child: ChildProcess,
  ) {}

  /** @throws Error when its command is not on PATH */
  static async start(kind: ServerKind): Promise<TestServer> {
    // Another process may take the free port first: then the server ends at once and we try the next.
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort();
      const child = spawnServer(kind, port);
      try {
        await answering(kind, child, port);
        return new TestServer(kind, port, child);
      } catch (error) {
        child.kill('SIGKILL');
        if (attempt === 3) throw error;
      }
    }
  }

  /** On the same port, once it has ended. */
  async startAgain(): Promise<void> {
    await exited(this.child);
    this.child = spawnServer(this.kind, this.port);
    await answering(this.kind, this.child, this.port);
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.child.kill('SIGCONT');
    this.child.kill(signal);
    await exited(this.child);
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }
}

function spawnServer({ command, args }: ServerKind, port: number): ChildProcess {
  const child = spawn(command, args(port), { stdio: 'ignore' });
  child.on('error', () => undefined); // not on PATH: answering() says so
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function answering(kind: ServerKind, child: ChildProcess, port: number): Promise<void> {
  const { name, command, startTimeoutMs: timeoutMs } = kind;
  const answers = () => (child.pid === undefined || child.exitCode !== null ? 'ended' : kind.answers(port));
  await waitUntil(async () => answers(), { timeoutMs, describe: `${name} on port ${port}` });
  if (child.pid === undefined) throw new Error(`${command} could not be started: is it on PATH?`);
  if (child.exitCode !== null) throw new Error(`${name} on port ${port} ended with ${child.exitCode}`);
}

function exited(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}
