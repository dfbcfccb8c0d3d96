import { spawn } from 'node:child_process';
import { join } from 'node:path';

import type { StackFile } from '@hopcount/contracts';
import { serviceAddress, type TestDatabase } from '@hopcount/testing';

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

type Services = Pick<StackFile, 'databaseUrl' | 'redisUrl' | 'kafkaBrokers'> & { archiveUrl?: string };

/** A spec's own database, and the Redis and Kafka that all specs share. */
export function servicesOf(database: TestDatabase): Services {
  return {
    databaseUrl: database.url,
    redisUrl: serviceAddress('REDIS_URL'),
    kafkaBrokers: serviceAddress('KAFKA_BROKERS'),
  };
}

/** `clean`, or what `hopcount verify` says of a spec's database. */
export async function verifyLedger(database: TestDatabase): Promise<string> {
  const { code, stdout, stderr } = await runCli(servicesOf(database), 'verify');
  return code === 0 ? 'clean' : stdout + stderr;
}

/** Runs the built CLI against a stack. */
export function runCli(stack: Services, ...args: string[]): Promise<CliResult> {
  const environment = {
    DATABASE_URL: stack.databaseUrl,
    REDIS_URL: stack.redisUrl,
    KAFKA_BROKERS: stack.kafkaBrokers,
    ...(stack.archiveUrl !== undefined && { ARCHIVE_URL: stack.archiveUrl }),
  };
  return runCliWith(environment, ...args);
}

/** Runs the built CLI with these settings. */
export async function runCliWith(environment: Record<string, string>, ...args: string[]): Promise<CliResult> {
  const child = spawn(process.execPath, [join(process.cwd(), 'apps/cli/bin/hopcount.mjs'), ...args], {
    env: { ...process.env, ...environment },
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
