import dns from 'node:dns/promises';
import { type LookupFunction, Socket } from 'node:net';

import type { InternetSettings } from './test-internet.js';

// Loaded before a process under test (NODE_OPTIONS=--import): the DNS that it asks and the network that it connects to, in place of those of
// this machine. What it judges, and what leaves it, is its own.
const { names, addresses, ports } = JSON.parse(process.env['TEST_INTERNET'] ?? '') as InternetSettings;
const questions = new Map<string, number>();

function answersOf(name: string, family: 4 | 6): string[] {
  const answers = names[name];
  if (answers === undefined) throw Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' });
  const question = questions.get(`${family} ${name}`) ?? 0;
  questions.set(`${family} ${name}`, question + 1);
  const given = answers[question] ?? answers.at(-1) ?? [];
  const found = given.filter((address) => address.includes(':') === (family === 6));
  if (found.length === 0) throw Object.assign(new Error(`nothing of ${name}`), { code: 'ENODATA' });
  return found;
}

Object.assign(dns.Resolver.prototype, {
  resolve4: (name: string) => Promise.resolve().then(() => answersOf(name, 4)),
  resolve6: (name: string) => Promise.resolve().then(() => answersOf(name, 6)),
});

const elsewhere = (address: string) => addresses[address] ?? address;

function translated(lookup: LookupFunction): LookupFunction {
  return (name, options, answer) =>
    lookup(name, options, (error, found, family) => {
      if (typeof found === 'string') answer(error, elsewhere(found), family);
      else answer(error, Array.isArray(found) ? found.map((one) => toIPv4(elsewhere(one.address), one)) : found);
    });
}

const toIPv4 = (address: string, { family }: { family: number }) => ({
  address,
  family: address.includes(':') ? family : 4,
});

interface ConnectOptions {
  host?: string;
  port?: number | string;
  family?: number;
  lookup?: LookupFunction;
}

const connect = Reflect.get(Socket.prototype, 'connect') as (...given: unknown[]) => Socket;
Reflect.set(Socket.prototype, 'connect', function connectElsewhere(this: Socket, ...given: unknown[]): Socket {
  // Node hands over its own arguments as a list: options, callback.
  const options = (Array.isArray(given[0]) ? given[0][0] : given[0]) as ConnectOptions | undefined;
  const port = ports[String(options?.port)];
  if (options !== undefined && port !== undefined) {
    options.port = port;
    options.family = 4;
    if (options.host !== undefined) options.host = elsewhere(options.host);
    if (options.lookup !== undefined) options.lookup = translated(options.lookup);
  }
  return connect.apply(this, given);
});
