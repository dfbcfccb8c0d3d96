import 'reflect-metadata';

import { expect } from '@jest/globals';
import { PROBLEMS } from '@hopcount/contracts';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createLogger, parseConfig } from '@hopcount/runtime';
import { testApiKey, testDatabase, type TestDatabase } from '@hopcount/testing';

import { type ApiConfig, apiConfigSchema } from './api.config.js';
import { ApiModule } from './api.module.js';
import { type ApiResources, openApiResources } from './api-resources.js';
import { createApi } from './create-api.js';
import { findOperations } from './http/find-operations.js';
import { problemsOf } from './openapi/document.js';
import { stopApi } from './stop-api.js';

export interface Answer {
  status: number;
  headers: Headers;
  body: Record<string, unknown>;
}

/** One api process on a free port with a database of its own, on real services. */
export class TestApi {
  private constructor(
    readonly database: TestDatabase,
    readonly resources: ApiResources,
    readonly url: string,
    readonly apiKey: string,
    readonly app: NestFastifyApplication,
  ) {}

  /** @param overrides environment variables, as a process would get them */
  static async start(overrides: Record<string, string> = {}): Promise<TestApi> {
    const database = await testDatabase();
    const config: ApiConfig = parseConfig(apiConfigSchema, {
      REDIS_URL: process.env['REDIS_URL'],
      KAFKA_BROKERS: process.env['KAFKA_BROKERS'],
      HOPCOUNT_SECRET: 'only for tests, forty characters long ...',
      DATABASE_URL: database.url,
      DEFAULT_DOMAIN: 's.test',
      OPS_PORT: '0',
      // Specs share one Redis, one address, and the ids of their keys.
      API_RATE_LIMITS: 'false',
      SIGN_IN_ADDRESS_LIMIT: '100000:1000',
      ...overrides,
    });
    const logger = createLogger({ name: 'test', level: 'silent' });
    const resources = await openApiResources(config, logger);
    const app = await createApi(config, resources, logger);
    await app.listen(0, '127.0.0.1');
    // Of the database that the process uses, which may be another TestApi's.
    const { key } = await testApiKey(resources.database);
    return new TestApi(database, resources, await app.getUrl(), key, app);
  }

  /** The body of a page of the operations port. */
  async operations(path: '/metrics' | '/readyz'): Promise<string> {
    return (await fetch(`${this.resources.ops.url}${path}`)).text();
  }

  /** With the API key unless a header of that name is given. */
  async request(
    method: string,
    path: string,
    options: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer> {
    const headers = new Headers({ 'x-api-key': this.apiKey, ...options.headers });
    if (headers.get('x-api-key') === '') headers.delete('x-api-key');
    let body: string | Uint8Array<ArrayBuffer> | undefined;
    if (options.body !== undefined) {
      const { body: given } = options;
      const isBytes = given instanceof Uint8Array;
      body = isBytes ? new Uint8Array(given) : typeof given === 'string' ? given : JSON.stringify(given);
      if (!headers.has('content-type')) headers.set('content-type', 'application/json');
    }
    const response = await fetch(`${this.url}${path}`, { method, headers, body });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    const answer = {
      status: response.status,
      headers: response.headers,
      body: isJson ? (JSON.parse(text) as Record<string, unknown>) : { text },
    };
    this.#expectDocumented(method, path, answer);
    return answer;
  }

  /** Whatever a spec provokes: a problem that the document does not name for the operation fails it. */
  #expectDocumented(method: string, path: string, { headers, body }: Answer): void {
    if (headers.get('content-type') !== 'application/problem+json') return;
    const operation = findOperations(ApiModule).find((candidate) => {
      const pattern = new RegExp(`^${candidate.path.replace(/:\w+/g, '[^/?]+')}/?(\\?|$)`);
      return candidate.method === method && pattern.test(path.replace(/^\/rest\/v[12]\//, '/rest/v3/'));
    });
    const documented = operation === undefined ? (['not-found', 'method-not-allowed'] as const) : problemsOf(operation);
    const types = documented.map((code): string => PROBLEMS[code].type);
    expect([method, path, types]).toEqual([method, path, expect.arrayContaining([body['type']])]);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return this.request('GET', `/rest/v3/${path}`, { headers });
  }

  create(body: unknown): Promise<Answer> {
    return this.request('POST', '/rest/v3/short-urls', { body });
  }

  /** As the process stops, then without its database. */
  async stop(): Promise<void> {
    await stopApi(this.app, this.resources);
    await this.database.drop();
  }
}
