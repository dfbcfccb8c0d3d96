import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { environment, jarsOf, javaCommand } from './test-jars.js';
import { TestServer } from './test-server.js';

const LOGGING = fileURLToPath(new URL('../../../deploy/local/s3proxy/logback.xml', import.meta.url));
const IDENTITY = 'hopcount-test';
const BUCKET = 'hopcount-test';
/** A Java that starts beside other tests takes its time. */
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

/** Also sets AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION of this process, which it takes. */
export async function testS3(): Promise<TestS3> {
  Object.assign(environment(), {
    AWS_ACCESS_KEY_ID: IDENTITY,
    AWS_SECRET_ACCESS_KEY: IDENTITY,
    AWS_REGION: 'us-east-1',
  });
  const jars = await jarsOf('s3proxy');
  const root = mkdtempSync(join(tmpdir(), 'hopcount-test-s3-'));
  const folder = join(root, 'objects', BUCKET);
  mkdirSync(folder, { recursive: true });
  const server = await TestServer.start({
    name: 'S3Proxy',
    command: javaCommand(),
    args: (port) => argumentsOf(root, jars, port),
    answers,
    startTimeoutMs: START_TIMEOUT_MS,
  });
  return {
    endpoint: endpointOf(server.port),
    bucket: BUCKET,
    folder,
    start: () => server.startAgain(),
    kill: () => server.end('SIGKILL'),
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    close: async () => {
      await server.end('SIGKILL');
      rmSync(root, { recursive: true, force: true });
    },
  };
}

function argumentsOf(root: string, jars: string, port: number): string[] {
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
  const options = ['-Xmx192m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', `-Dlogback.configurationFile=${LOGGING}`];
  return [...options, '-cp', `${jars}/*`, 'org.gaul.s3proxy.Main', '--properties', settings];
}

async function answers(port: number): Promise<boolean> {
  const response = await fetch(endpointOf(port)).catch(() => undefined); // does not listen yet: is asked again
  await response?.arrayBuffer();
  return response !== undefined;
}

function endpointOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}
