import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { freePort } from './free-port.js';
import { waitUntil } from './wait-until.js';

const JARS = fileURLToPath(new URL('../../../deploy/local/s3proxy-jars.mjs', import.meta.url));
const LOGGING = fileURLToPath(new URL('../../../deploy/local/s3proxy/logback.xml', import.meta.url));
const IDENTITY = 'hopcount-test';
const BUCKET = 'hopcount-test';
/** The first time it is downloaded, and a Java that starts beside other tests takes its time. */
const FETCH_TIMEOUT_MS = 300_000;
const START_TIMEOUT_MS = 60_000;

/** A private S3-compatible server (S3Proxy on a folder) with a bucket, so a test may kill, freeze or damage it. */
export interface TestS3 {
  readonly endpoint: string;
  readonly bucket: string;
  /** The bucket's objects on disk, by their keys. */
  readonly folder: string;
  /** Starts it again on the same port after kill(), with what it had. */
  start(): Promise<void>;
  /** SIGKILL. */
  kill(): Promise<void>;
  /** SIGSTOP and SIGCONT: it keeps its connections and answers nothing. */
  freeze(): void;
  thaw(): void;
  /** Ends everything, for afterAll. */
  close(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Also sets AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION of this process, which it takes. */
export async function testS3(): Promise<TestS3> {
  Object.assign(environment(), {
    AWS_ACCESS_KEY_ID: IDENTITY,
    AWS_SECRET_ACCESS_KEY: IDENTITY,
    AWS_REGION: 'us-east-1',
  });
  const { stdout: jars } = await promisify(execFile)(process.execPath, [JARS], { timeout: FETCH_TIMEOUT_MS });
  const root = mkdtempSync(join(tmpdir(), 'hopcount-test-s3-'));
  const folder = join(root, 'objects', BUCKET);
  mkdirSync(folder, { recursive: true });
  const started = await startOnFreePort(root, jars);
  const { port } = started;
  let { child } = started;
  const kill = async () => {
    child.kill('SIGKILL');
    await exited(child);
  };
  return {
    endpoint: endpointOf(port),
    bucket: BUCKET,
    folder,
    start: async () => {
      await exited(child);
      child = spawnServer(root, jars, port);
      await answering(child, port);
    },
    kill,
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    close: async () => {
      await kill();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Another process may take the free port first: then the server ends at once and we try the next. */
async function startOnFreePort(root: string, jars: string): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const child = spawnServer(root, jars, port);
    try {
      await answering(child, port);
      return { child, port };
    } catch (error) {
      child.kill('SIGKILL');
      if (attempt === 3) throw error;
    }
  }
}

function spawnServer(root: string, jars: string, port: number): ChildProcess {
  const settings = join(root, 's3proxy.conf');
  writeFileSync(
    settings,
    `s3proxy.endpoint=${endpointOf(port)}
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=${IDENTITY}
s3proxy.credential=${IDENTITY}
jclouds.provider=filesystem-nio2
jclouds.identity=none
jclouds.credential=none
jclouds.filesystem.basedir=${join(root, 'objects')}
`,
  );
  const home = environment()['JAVA_HOME'];
  const java = home ? join(home, 'bin/java') : 'java';
  const options = ['-Xmx192m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Dlogback.configurationFile=${LOGGING}`];
  const args = [...options, '-cp', `${jars}/*`, 'org.gaul.s3proxy.Main', '--properties', settings];
  const child = spawn(java, args, { stdio: 'ignore' });
  child.on('error', () => undefined); // not on PATH: answering() says so
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

async function answering(child: ChildProcess, port: number): Promise<void> {
  const answers = async () => {
    if (child.pid === undefined || child.exitCode !== null) return 'ended';
    const response = await fetch(endpointOf(port)).catch(() => undefined);
    await response?.arrayBuffer();
    return response !== undefined;
  };
  await waitUntil(answers, { timeoutMs: START_TIMEOUT_MS, describe: `S3Proxy on port ${port}` });
  if (child.pid === undefined) throw new Error('java could not be started: is it on PATH?');
  if (child.exitCode !== null) throw new Error(`S3Proxy on port ${port} ended with ${child.exitCode}`);
}

function exited(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once('exit', () => resolve()));
}

function endpointOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}

function environment(): NodeJS.ProcessEnv {
  // eslint-disable-next-line no-restricted-properties -- test tooling has no main.ts that could hand it over
  return process.env;
}
