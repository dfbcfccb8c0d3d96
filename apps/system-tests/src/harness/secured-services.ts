import { freePorts } from '@hopcount/testing';
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { makeCertificates } from './certificates.js';
import { type ChildSpec, type Deploy, endChild, JAVA_OPTIONS, launch, loadDeploy } from './own-services.js';

export interface SecuredServices {
  /** Settings of a process that knows the passwords and the authority. */
  readonly environment: Record<string, string>;
  /** The authority's certificate. */
  readonly authority: string;
  readonly passwords: readonly string[];
  stop(): Promise<void>;
}

interface Ground {
  deploy: Deploy;
  folder: string;
  log: string;
  port: number;
  password: string;
}

const USER = 'hopcount';
/** Of SCRAM-SHA-256. kafkajs logs in again ten seconds before the end of a session. */
const SESSION_MS = 20_000;

/**
 * Kafka, PostgreSQL and Redis of the local stack, with certificates of an authority nobody knows, reached by TLS
 * and with a password (Redis and Kafka at this port not otherwise).
 */
export async function startSecuredServices(): Promise<SecuredServices> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-secured-'));
  chmodSync(folder, 0o711); // PostgreSQL is no root and must reach its files
  makeCertificates(folder);
  const deploy = await loadDeploy();
  const [kafka, inside, postgres, redis] = (await freePorts(4)) as [number, number, number, number];
  const ground = (port: number): Ground => ({
    ...{ deploy, folder, port },
    log: join(folder, `${port}.log`),
    password: randomBytes(16).toString('hex'),
  });
  const [forKafka, forPostgres, forRedis] = [ground(kafka), ground(postgres), ground(redis)];
  const children: ChildProcess[] = [];
  const stop = async () => {
    await Promise.all(children.map(endChild));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all([
      securedKafka(forKafka, inside).then((spec) => launch(spec, children)),
      securedPostgres(forPostgres).then((spec) => launch(spec, children)),
      launch(securedRedis(forRedis), children),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    authority: readFileSync(join(folder, 'authority.pem'), 'utf8'),
    passwords: [forKafka, forPostgres, forRedis].map(({ password }) => password),
    environment: {
      KAFKA_BROKERS: `127.0.0.1:${kafka}`,
      KAFKA_TLS: 'true',
      KAFKA_SASL: 'scram-sha-256',
      KAFKA_USERNAME: USER,
      KAFKA_PASSWORD: forKafka.password,
      DATABASE_URL: `postgres://${USER}:${forPostgres.password}@127.0.0.1:${postgres}/${USER}?sslmode=verify-full`,
      REDIS_URL: `rediss://:${forRedis.password}@127.0.0.1:${redis}`,
      NODE_EXTRA_CA_CERTS: join(folder, 'authority.pem'),
    },
    stop,
  };
}

/** Its plain listener is for itself. */
async function securedKafka(ground: Ground, inside: number): Promise<ChildSpec> {
  const { deploy, folder, log, port, password } = ground;
  const users = ['SCRAM-SHA-256', 'SCRAM-SHA-512'].flatMap((mechanism) => [
    '--add-scram',
    `${mechanism}=[name=${USER},password=${password}]`,
  ]);
  const home = join(folder, 'kafka');
  const env = { ...process.env, JAVA_TOOL_OPTIONS: JAVA_OPTIONS };
  const spec = await deploy.prepareKafka({
    ...{ port: inside, folder: home, log, env, formatOptions: users },
    isThrowaway: true,
  });
  const settings = join(home, 'server.properties');
  const listeners = readFileSync(settings, 'utf8').replace(
    /^(advertised\.)?listeners=.*$/gm,
    (line) => `${line},SECURED://127.0.0.1:${port}`,
  );
  const modules = 'org.apache.kafka.common.security';
  const secured = 'listener.name.secured';
  writeFileSync(
    settings,
    `${listeners}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURED:SASL_SSL
ssl.keystore.type=PEM
ssl.keystore.location=${join(folder, 'key-and-certificate.pem')}
${secured}.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
${secured}.plain.sasl.jaas.config=${modules}.plain.PlainLoginModule required user_${USER}="${password}";
${secured}.scram-sha-256.sasl.jaas.config=${modules}.scram.ScramLoginModule required;
${secured}.scram-sha-256.connections.max.reauth.ms=${SESSION_MS}
${secured}.scram-sha-512.sasl.jaas.config=${modules}.scram.ScramLoginModule required;
`,
  );
  return spec;
}

async function securedPostgres({ deploy, folder, log, port, password }: Ground): Promise<ChildSpec> {
  const prepared = await deploy.preparePostgres({ port, dataDir: folder, password, log, env: process.env });
  const { spec } = prepared;
  for (const name of ['server.key', 'server.pem']) {
    const own = join(prepared.folder, name);
    copyFileSync(join(folder, name), own);
    chmodSync(own, 0o600);
    if (spec.uid !== undefined) chownSync(own, spec.uid, spec.gid ?? spec.uid);
  }
  const files = {
    ssl_key_file: join(prepared.folder, 'server.key'),
    ssl_cert_file: join(prepared.folder, 'server.pem'),
  };
  const settings = Object.entries({ ssl: 'on', ...files, fsync: 'off' });
  return { ...spec, args: [...spec.args, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])] };
}

function securedRedis({ deploy, folder, log, port, password }: Ground): ChildSpec {
  const spec = deploy.prepareRedis({ port: 0, folder: join(folder, 'redis'), log, env: process.env });
  const settings = Object.entries({
    'tls-port': String(port),
    'tls-cert-file': join(folder, 'server.pem'),
    'tls-key-file': join(folder, 'server.key'),
    'tls-ca-cert-file': join(folder, 'authority.pem'),
    'tls-auth-clients': 'no',
    requirepass: password,
  });
  const args = [...spec.args, ...settings.flatMap(([name, value]) => [`--${name}`, value])];
  return { ...spec, args, isReady: () => deploy.answers(port) };
}
