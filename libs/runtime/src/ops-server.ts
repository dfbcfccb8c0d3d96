import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import type { Registry } from 'prom-client';

import { ANSWER_HEADERS } from './answer-headers.js';
import { BadHttp } from './bad-http.js';
import { createBoundedServer } from './bounded-server.js';
import { Health, type HealthReport, withoutReasons } from './health.js';
import type { Logger } from './logger.js';
import { measureHealth } from './health.metrics.js';
import { createMetricsRegistry } from './metrics.js';

interface Answer {
  status: number;
  contentType: string;
  body: string | Buffer;
}

interface Parts {
  health: Health;
  registry: Registry;
  /** The metrics as text, in one buffer that all responses share. */
  collect: () => Promise<Buffer>;
}

/** What the public port says at /livez and /readyz: status only. */
export async function answerHealth(path: '/livez' | '/readyz', health: Health): Promise<Answer> {
  return toAnswer(withoutReasons(await reportOf(path, health)));
}

function reportOf(path: '/livez' | '/readyz', health: Health): Promise<HealthReport> {
  return path === '/livez' ? health.live() : health.ready();
}

function toAnswer(report: HealthReport): Answer {
  const status = report.status === 'fail' ? 503 : 200;
  return { status, contentType: 'application/health+json', body: JSON.stringify(report) };
}

/** What `env.ops` gives. */
export interface OpsSettings {
  opsHost: string;
  opsPort: number;
  processName?: string | undefined;
  hopcountVersion: string;
}

/**
 * What every process has besides its work: metrics, health, and a port of its own that shows both to
 * scrapers and probes, not to the public.
 */
export class Operations {
  private constructor(
    readonly registry: Registry,
    readonly health: Health,
    private readonly server: Server,
  ) {}

  /** Resolves once the port listens. */
  static async open(settings: OpsSettings, about: { process: string; logger: Logger }) {
    const { hopcountVersion: version } = settings;
    const name = settings.processName ?? about.process;
    const registry = createMetricsRegistry({ process: about.process, name, version });
    const health = new Health({ name: `hopcount-${about.process}`, version, logger: about.logger });
    measureHealth(registry, health);
    const collect = sharedWhilePending(async () => Buffer.from(await registry.metrics()));
    const server = createBoundedServer(
      {},
      (request, response) => void answerOps(request, response, { health, registry, collect }),
    );
    const badHttp = new BadHttp();
    badHttp.follow(server);
    server.on('clientError', badHttp.refuse);
    // Exclusive: workers of node:cluster would otherwise answer for each other.
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port: settings.opsPort, host: settings.opsHost, exclusive: true }, resolve);
    });
    return new Operations(registry, health, server);
  }

  get url(): string {
    const address = this.server.address();
    if (address === null || typeof address === 'string') return '';
    const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
    return `http://${host}:${address.port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

async function answerOps(request: IncomingMessage, response: ServerResponse, parts: Parts): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const { status, contentType, body } = await pageAt(path, parts).catch((error: unknown) => ({
    status: 500,
    contentType: 'text/plain',
    body: `${(error as Error).message}\n`,
  }));
  response.writeHead(status, { ...ANSWER_HEADERS, 'content-type': contentType, 'cache-control': 'no-store' });
  response.end(body);
}

/** Calls made while one is pending get its result or its error; the next call after that starts anew. */
function sharedWhilePending<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | undefined;
  return () => (pending ??= work().finally(() => (pending = undefined)));
}

async function pageAt(path: string, { health, registry, collect }: Parts): Promise<Answer> {
  switch (path) {
    case '/livez':
    case '/readyz':
      return toAnswer(await reportOf(path, health));
    case '/metrics':
      return { status: 200, contentType: registry.contentType, body: await collect() };
    default:
      return { status: 404, contentType: 'text/plain', body: 'Not found\n' };
  }
}
