import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { pin, prefer } from '../process-usage.js';

export interface OpenLoopSettings {
  url: string;
  host: string;
  agent: string;
  links: number;
  connections: number;
  perSecond: number;
  seconds: number;
  seed: number;
}

export interface OpenLoopResult {
  offered: number;
  /** From the moment a request was due to the last byte of its redirect. */
  p50Ms: number;
  p99Ms: number;
  redirects: number;
  /** Requests that had another answer. */
  refused: number;
  /** Requests whose connection was lost, or that had no answer 10 s after the last was due. */
  unanswered: number;
  /**
   * Requests that the client itself began more than 1 ms after they were due, no matter how busy its connections
   * were.
   */
  late: number;
}

/** @param core of the client; null: any, and it goes before other processes */
export async function runOpenLoop(settings: OpenLoopSettings, core: string | null): Promise<OpenLoopResult> {
  const child = fork(fileURLToPath(new URL('client.js', import.meta.url)), [JSON.stringify(settings)], {
    detached: true,
  });
  const { pid = 0 } = child;
  if (core === null) prefer(pid);
  else pin([pid], core);
  const endWithUs = () => child.kill('SIGKILL');
  process.once('exit', endWithUs);
  child.once('exit', () => process.off('exit', endWithUs));
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`the client ended with ${String(code)}`);
  });
  return Promise.race([once(child, 'message').then(([result]) => result as OpenLoopResult), failed]);
}
