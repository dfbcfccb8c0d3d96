import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const JARS = fileURLToPath(new URL('../../../deploy/local/test-jars.mjs', import.meta.url));
/** The first time they are downloaded. */
const FETCH_TIMEOUT_MS = 300_000;

/** Folder of the jars of a server that only tests start. */
export async function jarsOf(server: 's3proxy' | 'zipkin'): Promise<string> {
  return (await promisify(execFile)(process.execPath, [JARS, server], { timeout: FETCH_TIMEOUT_MS })).stdout;
}

export function javaCommand(): string {
  const home = environment()['JAVA_HOME'];
  return home ? join(home, 'bin/java') : 'java';
}

export function environment(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- test tooling has no main.ts that could hand it over
  return process.env;
}
