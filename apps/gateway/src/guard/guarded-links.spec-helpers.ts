import { connect } from 'node:net';

import { hashPassword } from '@hopcount/runtime';

import {
  type Answer,
  GatewayGround,
  insertLink,
  TEST_DOMAIN,
  type TestGateway,
  visitsIn,
} from '../gateway.spec-helpers.js';

export const TARGET = 'https://secret.example/target?own=1';
export const PASSWORD = 'an open sésame';
export const FORM = 'application/x-www-form-urlencoded';

interface Stack {
  ground: GatewayGround;
  gateway: TestGateway;
  /** Of the password. */
  hash: string;
  /** Of a form that never came to its end: it takes its time. */
  slowAnswer: Promise<string>;
}

/** Of the spec that started it. */
export let stack: Stack;

export async function startStack(): Promise<void> {
  const more = { ACK_TIMEOUT_MS: '20000', TRUSTED_PROXIES: '127.0.0.1' };
  const [ground, hash] = await Promise.all([GatewayGround.open(more), hashPassword(PASSWORD)]);
  stack = { ground, gateway: await ground.start(), hash, slowAnswer: Promise.resolve('') };
  await add('form');
  stack.slowAnswer = submitHalf('/form');
}

export const stopStack = (): Promise<void> => stack.ground.close();

let lastAddress = 1;
/** Who guesses does so from one of their own. */
export const newAddress = () => `198.51.100.${(lastAddress += 1)}`;

export const add = (code: string, settings: Record<string, unknown> = {}) =>
  insertLink(stack.ground.database, { code, longUrl: TARGET, settings: { password_hash: stack.hash, ...settings } });

export const warn = (code: string, longUrl: string, settings: Record<string, unknown> = {}) =>
  insertLink(stack.ground.database, { code, longUrl, settings: { warn: true, ...settings } });

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
  (await visitsIn(stack.ground.topics.visits)).filter((visit) => visit.linkId === linkId);

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
