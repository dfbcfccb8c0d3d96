import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { decodeSourceAudit, decodeVisitEvent, type SourceAuditV1, type VisitEventV1 } from '@hopcount/contracts';
import { createLogger, parseConfig } from '@hopcount/runtime';
import {
  serviceAddress,
  testDatabase,
  type TestDatabase,
  testRedis,
  type TestRedis,
  testTopic,
  type TestTopic,
} from '@hopcount/testing';

import { createGateway } from './create-gateway.js';
import { gatewayConfigSchema } from './gateway.config.js';
import { openGatewayResources } from './gateway-resources.js';
import { stopGateway } from './stop-gateway.js';

export const TEST_SECRET = 'a secret of the gateway tests, 32 characters and more';
export const TEST_DOMAIN = 'short.test';

export function newSpoolFolder(): string {
  return mkdtempSync(join(tmpdir(), 'hopcount-test-spool-'));
}

/** The settings of a gateway process, as environment variables. */
export function gatewayEnvironment(parts: {
  database: TestDatabase;
  topic: TestTopic;
  audits: TestTopic;
  orphans?: TestTopic;
  more?: Record<string, string>;
}): Record<string, string> {
  return {
    GATEWAY_PORT: '0',
    OPS_PORT: '0',
    DATABASE_URL: parts.database.url,
    REDIS_URL: serviceAddress('REDIS_URL'),
    KAFKA_BROKERS: parts.topic.brokers.join(','),
    VISITS_TOPIC: parts.topic.name,
    AUDIT_TOPIC: parts.audits.name,
    ORPHAN_TOPIC: parts.orphans?.name ?? `${parts.topic.name}.no-orphans`,
    HOPCOUNT_SECRET: TEST_SECRET,
    DEFAULT_DOMAIN: TEST_DOMAIN,
    SPOOL_DIR: newSpoolFolder(),
    LOG_LEVEL: 'silent',
    ...parts.more,
  };
}

/** What gateways of one spec share, and nobody else: a database, a Redis, topics and a spool folder. */
export class GatewayGround {
  readonly #closing: (() => unknown)[] = [];

  private constructor(
    readonly database: TestDatabase,
    readonly redis: TestRedis,
    readonly topics: { visits: TestTopic; audits: TestTopic; orphans: TestTopic },
    /** Of one more gateway. */
    readonly environment: Record<string, string>,
  ) {}

  /** @param more settings of all its gateways @param on what an earlier one of the spec has, which closes it */
  static async open(
    more: Record<string, string> = {},
    on?: Pick<GatewayGround, 'database' | 'redis'>,
  ): Promise<GatewayGround> {
    const [database, redis, visits, audits, orphans] = await Promise.all([
      on?.database ?? testDatabase(),
      on?.redis ?? testRedis(),
      testTopic({ partitions: 3, label: 'visits' }),
      testTopic({ label: 'audits' }),
      testTopic({ label: 'orphans' }),
    ]);
    const settings = { database, topic: visits, audits, orphans, more: { REDIS_URL: redis.url, ...more } };
    const ground = new GatewayGround(database, redis, { visits, audits, orphans }, gatewayEnvironment(settings));
    if (on === undefined) ground.closeFirst(() => database.drop());
    if (on === undefined) ground.closeFirst(() => redis.close());
    return ground;
  }

  /** Closed with the ground, unless it was before. */
  async start(more: Record<string, string> = {}): Promise<TestGateway> {
    const gateway = await startGateway({ ...this.environment, ...more });
    let isOpen = true;
    const close = async () => {
      if (isOpen) await gateway.close();
      isOpen = false;
    };
    this.closeFirst(close);
    const stop = async () => {
      isOpen = false;
      await gateway.stop();
    };
    return { ...gateway, close, stop };
  }

  /** Before all that is there already. */
  closeFirst(close: () => unknown): void {
    this.#closing.unshift(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closing) await close();
    await Promise.all(Object.values(this.topics).map((topic) => topic.delete()));
    rmSync(this.environment['SPOOL_DIR']!, { recursive: true, force: true });
  }
}

export interface TestGateway {
  url: string;
  port: number;
  opsPort: number;
  /** The body of a page of the operations port. */
  operations(path: '/metrics' | '/readyz'): Promise<string>;
  /** GET (or another method) with exactly these headers; never follows the redirect. */
  ask(path: string, options?: AskOptions): Promise<Answer>;
  close: () => Promise<void>;
  /** As SIGTERM does. */
  stop: () => Promise<void>;
}

interface AskOptions {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

/** The real application in this process, listening on a free port of 127.0.0.1. */
export async function startGateway(environment: Record<string, string>): Promise<TestGateway> {
  const config = parseConfig(gatewayConfigSchema, environment);
  const logger = createLogger({ name: 'gateway-test', level: config.logLevel });
  const resources = await openGatewayResources(config, logger);
  const app = await createGateway(config, resources, logger);
  await app.listen(config.gatewayPort, config.host);
  const { port } = app.getHttpServer().address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    opsPort: Number(new URL(resources.ops.url).port),
    operations: async (path) => (await fetch(`${resources.ops.url}${path}`)).text(),
    ask: (path, options) => ask(port, path, options),
    close: () => app.close(),
    stop: () => stopGateway(app, resources.health, { drainMs: 50 }),
  };
}

export function ask(port: number, path: string, options: AskOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { port, host: '127.0.0.1', path, method: options.method ?? 'GET', headers: options.headers ?? {}, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
        response.on('error', reject);
      },
    );
    request.on('error', reject);
    request.end(options.body);
  });
}

/** The value of a metric. @param name with the start of its labels, where it has several values */
export async function metricOf(gateway: TestGateway, name: string): Promise<number> {
  const lines = (await gateway.operations('/metrics')).split('\n');
  return Number(
    lines
      .find((line) => line.startsWith(name))
      ?.split(' ')
      .at(-1),
  );
}

/** All visits now in the topic; fails on a record that is not one. */
export async function visitsIn(topic: TestTopic): Promise<VisitEventV1[]> {
  return (await topic.readAll()).map((record) => {
    const decoded = decodeVisitEvent(record.value);
    if (decoded.outcome !== 'ok') throw new Error(`${decoded.reason}: ${decoded.detail}`);
    return decoded.visit;
  });
}

/** All audit reports now in the topic, in order; fails on a record that is not one. */
export async function auditsIn(topic: TestTopic): Promise<SourceAuditV1[]> {
  return (await topic.readAll()).map((record) => {
    const report = decodeSourceAudit(record.value);
    if (report === undefined) throw new Error(`no audit report: ${record.value?.toString()}`);
    return report;
  });
}

let nextLinkId = 7_300_000_000_000_000_000n;

/** A link by SQL, as the API would leave it; returns its id. */
export async function insertLink(
  database: TestDatabase,
  link: {
    code: string;
    longUrl?: string;
    domain?: string;
    /** More columns, by name. */
    settings?: Record<string, unknown>;
  },
): Promise<string> {
  const id = String((nextLinkId += 1n));
  const domain = link.domain ?? TEST_DOMAIN;
  await database.query(
    'INSERT INTO domains (authority, is_default) VALUES ($1, $2) ON CONFLICT (authority) DO NOTHING',
    [domain, domain === TEST_DOMAIN],
  );
  await database.query(
    `INSERT INTO links (id, domain_id, code, long_url)
     SELECT $1, domains.id, $3, $4 FROM domains WHERE authority = $2`,
    [id, domain, link.code, link.longUrl ?? 'https://example.com/target'],
  );
  for (const [column, value] of Object.entries(link.settings ?? {})) {
    await database.query(`UPDATE links SET ${column} = $2 WHERE id = $1`, [id, value]);
  }
  return id;
}

/** What the button of a warning sends. */
export const formOf = ({ body }: Answer) =>
  new URLSearchParams(
    [...body.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']): [string, string] => [
      name,
      value.replaceAll('&#38;', '&'),
    ]),
  );
