// @ts-check
// Prints the folder of S3Proxy's jars and fetches them before if need be: tests of object storage start that server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fetchedJars, fetchJars } from './services/maven-jars.mjs';
import { ROOT } from './settings.mjs';

const S3PROXY = {
  name: 's3proxy-4.1.0',
  title: 'S3Proxy',
  main: /^s3proxy-\d.*\.jar$/,
  pom: join(ROOT, 'deploy/local/s3proxy/pom.xml'),
};

const logs = mkdtempSync(join(tmpdir(), 'hopcount-s3proxy-'));
try {
  const folder = fetchedJars(S3PROXY, process.env) ?? (await fetchJars(S3PROXY, process.env, join(logs, 'maven.log')));
  process.stdout.write(folder);
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(logs, { recursive: true, force: true });
}
