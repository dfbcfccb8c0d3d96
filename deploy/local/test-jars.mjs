// @ts-check
// `node test-jars.mjs s3proxy|zipkin` prints the folder of that server's jars and fetches them before if need be.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { fetchedJars, fetchJars } from './services/maven-jars.mjs';
import { ROOT } from './settings.mjs';

/** Servers that only tests start. @type {Record<string, import('./services/maven-jars.mjs').Jars>} */
const SERVERS = {
  s3proxy: {
    name: 's3proxy-4.1.0',
    title: 'S3Proxy',
    main: /^s3proxy-\d.*\.jar$/,
    pom: join(ROOT, 'deploy/local/s3proxy/pom.xml'),
  },
  zipkin: {
    name: 'zipkin-3.4.4',
    title: 'Zipkin',
    main: /^zipkin-server-\d.*\.jar$/,
    pom: join(ROOT, 'deploy/local/zipkin/pom.xml'),
  },
};

const [, , wanted = ''] = process.argv;
const logs = mkdtempSync(join(tmpdir(), 'hopcount-jars-'));
try {
  const jars = SERVERS[wanted];
  if (jars === undefined) throw new Error(`name one of ${Object.keys(SERVERS).join(', ')}`);
  const folder = fetchedJars(jars, process.env) ?? (await fetchJars(jars, process.env, join(logs, 'maven.log')));
  process.stdout.write(folder);
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(logs, { recursive: true, force: true });
}
