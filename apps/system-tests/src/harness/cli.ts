import { spawn } from 'node:child_process';
import { join } from 'node:path';

import type { StackFile } from '@hopcount/contracts';

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs the built CLI against a stack. */
export async function runCli(
  stack: Pick<StackFile, 'databaseUrl' | 'redisUrl' | 'kafkaBrokers'>,
  ...args: string[]
): Promise<CliResult> {
  const child = spawn(process.execPath, [join(process.cwd(), 'apps/cli/bin/hopcount.mjs'), ...args], {
    env: {
      ...process.env,
      DATABASE_URL: stack.databaseUrl,
      REDIS_URL: stack.redisUrl,
      KAFKA_BROKERS: stack.kafkaBrokers,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout, stderr };
}

export interface LagReport {
  pending: number;
  partitions: { partition: number; logEnd: number; checkpoint: number | null; committed: number | null }[];
}

export async function readLag(stack: StackFile): Promise<LagReport> {
  const { code, stdout, stderr } = await runCli(stack, 'lag', '-o', 'json');
  if (code !== 0) throw new Error(`hopcount lag ended with ${String(code)}: ${stderr}`);
  return JSON.parse(stdout) as LagReport;
}
