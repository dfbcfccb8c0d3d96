import { rmSync } from 'node:fs';
import { connect } from 'node:net';

import { hashPassword } from '@hopcount/runtime';
import {
  testDatabase,
  type TestDatabase,
  testRedis,
  type TestRedis,
  testTopic,
  type TestTopic,
} from '@hopcount/testing';

import {
  type Answer,
  gatewayEnvironment,
  insertLink,
  startGateway,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from '../gateway.spec-helpers.js';

export const TARGET = 'https://secret.example/target?own=1';
export const PASSWORD = 'an open sésame';
export const FORM = 'application/x-www-form-urlencoded';

interface Stack {
  database: TestDatabase;
  redis: TestRedis;
  /** Visits, audits, orphan visits. */
  topics: TestTopic[];
  environment: Record<string, string>;
  gateway: TestGateway;
  /** Of the password. */
  hash: string;
  /** Of a form that never came to its end: it takes its time. */
  slowAnswer: Promise<string>;
}

/** Of the spec that started it. */
export let stack: Stack;

export async function startStack(): Promise<void> {
  const [database, redis, hash] = await Promise.all([testDatabase(), testRedis(), hashPassword(PASSWORD)]);
  const topics = await Promise.all(['visits', 'audits', 'orphans'].map((label) => testTopic({ label })));
  const [topic, audits, orphans] = topics as [TestTopic, TestTopic, TestTopic];
  const more = { REDIS_URL: redis.url, ACK_TIMEOUT_MS: '20000', TRUSTED_PROXIES: '127.0.0.1' };
  const environment = gatewayEnvironment({ database, topic, audits, orphans, more });
  const gateway = await startGateway(environment);
  stack = { database, redis, topics, environment, gateway, hash, slowAnswer: Promise.resolve('') };
  await add('form');
  stack.slowAnswer = submitHalf('/form');
}

export async function stopStack(): Promise<void> {
  const { gateway, topics, redis, database, environment } = stack;
  await gateway.close();
  for (const topic of topics) await topic.delete();
  await redis.close();
  await database.drop();
  rmSync(environment['SPOOL_DIR']!, { recursive: true, force: true });
}

let lastAddress = 1;
/** Who guesses does so from one of their own. */
export const newAddress = () => `198.51.100.${(lastAddress += 1)}`;

export const add = (code: string, settings: Record<string, unknown> = {}) =>
  insertLink(stack.database, { code, longUrl: TARGET, settings: { password_hash: stack.hash, ...settings } });

export const warn = (code: string, longUrl: string, settings: Record<string, unknown> = {}) =>
  insertLink(stack.database, { code, longUrl, settings: { warn: true, ...settings } });

export const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', from = stack.gateway) =>
  from.ask(path, { method, headers: { host: TEST_DOMAIN, ...headers } });

export const press = (
  path: string,
  form: URLSearchParams,
  headers: Record<string, string> = {},
  from = stack.gateway,
) =>
  from.ask(path, {
    method: 'POST',
    headers: { host: TEST_DOMAIN, 'content-type': FORM, ...headers },
    body: form.toString(),
  });

export function submit(
  path: string,
  password: string,
  options: { address?: string; headers?: Record<string, string>; from?: TestGateway } = {},
): Promise<Answer> {
  const { address = newAddress(), headers = {}, from } = options;
  return press(path, new URLSearchParams({ password }), { 'x-forwarded-for': address, ...headers }, from);
}

/** One after the other, from one address. @returns what is answered */
export async function attempt(
  path: string,
  passwords: readonly string[],
  { address = newAddress(), from }: { address?: string; from?: TestGateway } = {},
): Promise<number[]> {
  const statuses: number[] = [];
  for (const password of passwords) statuses.push((await submit(path, password, { address, from })).status);
  return statuses;
}

export const cookieOf = ({ headers }: Answer) => String(headers['set-cookie']).split(';')[0]!;

export const visitsOf = async (linkId: string) =>
  (await visitsIn(stack.topics[0]!)).filter((visit) => visit.linkId === linkId);

function submitHalf(path: string): Promise<string> {
  const socket = connect(stack.gateway.port, '127.0.0.1');
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: ${TEST_DOMAIN}\r\ncontent-type: ${FORM}\r\ncontent-length: 20\r\n\r\npass`,
  );
  return new Promise((resolve, reject) => {
    socket.once('data', (data: Buffer) => {
      socket.destroy();
      resolve(data.toString());
    });
    socket.once('error', reject);
  });
}
