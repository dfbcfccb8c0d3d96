import { z } from 'zod';

/** Where Redis is: one server, the nodes a cluster is found by, or the sentinels that know the master. */
export type RedisServers =
  | { kind: 'single'; url: string }
  | { kind: 'cluster'; nodes: RedisNode[]; tls: boolean; login: RedisLogin }
  | {
      kind: 'sentinel';
      nodes: RedisNode[];
      tls: boolean;
      login: RedisLogin;
      masterName: string;
      /** Number of the master's database. */
      database: number;
      sentinelLogin: RedisLogin;
    };

export interface RedisNode {
  host: string;
  port: number;
}

export interface RedisLogin {
  username?: string;
  password?: string;
}

const FORM =
  /^rediss?\+(?<kind>cluster|sentinel):\/\/(?:(?<login>[^@/?]*)@)?(?<nodes>[^@/?]+)(?:\/(?<path>[^?]*))?(?:\?(?<query>.*))?$/;
const DEFAULT_PORTS = { cluster: 6379, sentinel: 26379 } as const;

/**
 * `redis://host:port/0`, `rediss://…` (TLS), `redis+cluster://user:password@a:7000,b:7000` (any of its nodes, best several),
 * `redis+sentinel://user:password@a:26379,b:26379/name-of-the-master/0?sentinelPassword=…`; `rediss+cluster` and
 * `rediss+sentinel` are the same with TLS. What stands in a password and means something in a URL is percent-encoded.
 * @throws TypeError that says what is wrong
 */
export function parseRedisUrl(text: string): RedisServers {
  const tls = text.startsWith('rediss');
  if (/^rediss?:\/\//.test(text)) {
    if (!URL.canParse(text))
      throw new TypeError('redis://host:port, several nodes are redis+cluster:// or redis+sentinel://');
    return { kind: 'single', url: text };
  }
  const parts = FORM.exec(text)?.groups;
  if (parts === undefined) {
    throw new TypeError('redis://host:port, redis+cluster://a:7000,b:7000 or redis+sentinel://a:26379,b:26379/master');
  }
  const kind = parts['kind'] as 'cluster' | 'sentinel';
  const nodes = parts['nodes']!.split(',').map((node) => parseNode(node, DEFAULT_PORTS[kind]));
  const [username, password] = (parts['login'] ?? '').split(/:(.*)/s).map(decodeURIComponent);
  const common = { nodes, tls, login: loginOf(username, password) };
  const [name = '', database = ''] = (parts['path'] ?? '').split('/');
  if (kind === 'cluster') {
    if (name !== '' && name !== '0') throw new TypeError('a cluster has the database 0 alone');
    return { kind, ...common };
  }
  if (name === '') throw new TypeError('the name of the master is missing: redis+sentinel://a:26379/mymaster');
  if (!/^\d{0,4}$/.test(database)) throw new TypeError(`${database} is no number of a database`);
  const query = new URLSearchParams(parts['query']);
  return {
    ...{ kind, ...common, masterName: decodeURIComponent(name), database: Number(database) },
    sentinelLogin: loginOf(query.get('sentinelUsername') ?? '', query.get('sentinelPassword') ?? ''),
  };
}

function loginOf(username = '', password = ''): RedisLogin {
  return { ...(username !== '' && { username }), ...(password !== '' && { password }) };
}

function parseNode(text: string, defaultPort: number): RedisNode {
  if (!URL.canParse(`tcp://${text}`)) throw new TypeError(`"${text}" is no host:port`);
  const { hostname, port } = new URL(`tcp://${text}`);
  if (hostname === '') throw new TypeError(`"${text}" is no host:port`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) };
}

/** REDIS_URL of every process, checked and left as it is. */
export const redisUrl = z.string().superRefine((text, context) => {
  try {
    parseRedisUrl(text);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});
