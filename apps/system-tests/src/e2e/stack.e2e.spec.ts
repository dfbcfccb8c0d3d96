import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

import { handOverSecrets } from '../harness/handed-over-secrets.js';
import { startStack, type ProcessKind, type RunningStack } from '../harness/stack.js';

const KINDS: ProcessKind[] = ['gateway', 'consumer', 'worker', 'api', 'kafka', 'postgres', 'redis'];
const SLUG = 'kept-over-a-restart';
const someSecret = () => randomBytes(20).toString('hex');
/** Beside those the stack makes itself. */
const SECRETS = { HOPCOUNT_OTHER_SECRET: someSecret(), HOPCOUNT_HASH_SECRET: someSecret() };
const TALKATIVE = { LOG_LEVEL: 'debug', TRUSTED_PROXIES: '127.0.0.1/32' };
const VISITOR = '203.0.113.77';

describe('the local stack', () => {
  let stack: RunningStack;
  let dataDir: string;
  /** Its link's domain is `localhost:<port>`, so a later stack that is to answer for it has that port. */
  let samePort: Record<string, string>;
  /** Secrets that came up on the way. */
  const shown: string[] = [];

  beforeAll(async () => {
    stack = await startStack({ env: { GATEWAYS: '2', ...TALKATIVE, ...SECRETS } });
    dataDir = stack.dataDir;
    samePort = { GATEWAY_PORT: new URL(stack.file.gatewayUrl).port, ...TALKATIVE, ...SECRETS };
  }, 180_000);
  afterAll(async () => {
    await stack.stop();
    // The second stack of this file was given its folder, so it did not remove it.
    await rm(dataDir, { recursive: true, force: true });
  }, 120_000);

  it('is ready when start returns, with a living process of every kind', async () => {
    const { gatewayUrl, apiUrl, opsUrls } = stack.file;
    for (const url of [gatewayUrl, apiUrl, ...Object.values(opsUrls).flat()]) {
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    }
    const { processes } = await stack.read();
    expect(Object.fromEntries(KINDS.map((kind) => [kind, processes[kind].length]))).toEqual({
      ...{ gateway: 2, consumer: 1, worker: 1, api: 1, kafka: 1, postgres: 1, redis: 1 },
    });
    for (const pid of pidsOf(processes)) expect(isAlive(pid)).toBe(true);
  });

  it('shows the metrics of each of two gateways behind one port at a port of its own', async () => {
    const pages = await Promise.all(
      stack.file.opsUrls.gateway.map(async (url) => (await fetch(`${url}/metrics`)).text()),
    );
    const names = pages.map((page) => [...new Set(page.match(/(?<=process_name=")[^"]+/g))]);
    expect(names).toEqual([['gateway-1'], ['gateway-2']]);
  });

  it('declares every metric that alerts, recordings and dashboards ask for', async () => {
    const urls = Object.values(stack.file.opsUrls).flat();
    const pages = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
    const declared = new Set([...pages.join('\n').matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name));
    const isDeclared = (name: string) => declared.has(name) || declared.has(name.replace(/_(bucket|sum|count)$/, ''));
    const asked = metricsAskedFor();
    expect(asked.length).toBeGreaterThan(50);
    expect(asked.filter((name) => !isDeclared(name))).toEqual([]);
  });

  it('tells Prometheus where each process shows its metrics', () => {
    const groups = JSON.parse(readFileSync(join(dataDir, 'prometheus-targets.json'), 'utf8')) as {
      targets: string[];
      labels: { app: string };
    }[];
    const urls = groups.map(({ targets, labels }) => [labels.app, targets.map((target) => `http://${target}`)]);
    expect(Object.fromEntries(urls)).toEqual(stack.file.opsUrls);
  });

  it('redirects a link made with the key it wrote down, and makes one account by the link it printed', async () => {
    expect((await createLink(stack)).status).toBe(200);
    const answer = await visit(stack);
    expect(answer.status).toBe(302);
    shown.push(/=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '')?.[1] ?? '');
    const wrongKey = `hc_live_${someSecret()}`;
    shown.push(wrongKey);
    const refused = await fetch(`${stack.file.apiUrl}/rest/v3/tags`, { headers: { 'X-Api-Key': wrongKey } });
    expect(refused.status).toBe(401);
    shown.push(...(await handOverSecrets(stack)));
  });

  it.each<ProcessKind>(['gateway', 'consumer', 'worker', 'redis', 'postgres'])(
    'reports a killed %s and starts it again',
    async (kind) => {
      const before = (await stack.read()).processes[kind];
      const [victim] = before;
      process.kill(victim ?? 0, 'SIGKILL');
      const after = await pidsAfterRestart(stack, kind, before);
      expect(after).toHaveLength(before.length);
      expect(after).not.toContain(victim);
      expect(readFileSync(join(dataDir, 'logs/supervisor.log'), 'utf8')).toContain(`(pid ${String(victim)}) died`);
    },
    60_000,
  );

  it('keeps Kafka stopped while it is held', async () => {
    await stack.hold('kafka');
    expect((await stack.read()).processes.kafka).toEqual([]);
    await stack.resume('kafka');
    expect((await stack.read()).processes.kafka).toHaveLength(1);
  }, 120_000);

  it('refuses a second stack on the same data', async () => {
    const error = await startStack({ dataDir }).catch((caught: unknown) => caught as Error);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain('already runs');
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(true);
  });

  it('names the port that is taken', async () => {
    const port = new URL(stack.file.apiUrl).port;
    const error = await startStack({ env: { API_PORT: port } }).catch((caught: unknown) => caught as Error);
    expect((error as Error).message).toContain(`Port ${port} (API_PORT) is already in use`);
  });

  it('keeps data, key and links over a kill of the supervisor, whose leftovers the next start ends', async () => {
    const { kafka, postgres, redis } = (await stack.read()).processes;
    const supervisor = JSON.parse(readFileSync(join(dataDir, 'supervisor.json'), 'utf8')) as { pid: number };
    process.kill(supervisor.pid, 'SIGKILL');
    const first = stack;
    stack = await startStack({ dataDir, env: samePort });
    expect([...kafka, ...postgres, ...redis].filter(isAlive)).toEqual([]);
    expect(stack.file.apiKey).toBe(first.file.apiKey);
    // There is an account.
    expect([first, stack].map(({ printed }) => printed.includes('/invite#'))).toEqual([true, false]);
    expect((await visit(stack)).status).toBe(302);
  }, 180_000);

  it('leaves no process behind when stopped', async () => {
    const { processes } = await stack.read();
    await stack.halt();
    expect(pidsOf(processes).filter(isAlive)).toEqual([]);
    expect(commandLines().filter((line) => line.includes(dataDir))).toEqual([]);
    expect(existsSync(join(dataDir, 'stack.json'))).toBe(false);
    expect(existsSync(join(dataDir, 'prometheus-targets.json'))).toBe(false);
  }, 120_000);

  it("S22, S33: has written no secret and no visitor's address to a log, whatever was killed, refused and away", () => {
    const folder = join(dataDir, 'logs');
    const logs = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    expect(logs.join('')).toContain('Hopcount is ready');
    // A link that makes an account, as the terminal shows it.
    expect(logs.join('')).not.toMatch(/invite#\w/);
    const made = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as {
      hopcountSecret: string;
      databasePassword: string;
      applicationPassword: string;
      redisPassword: string;
      apiKeys: Record<string, string>;
    };
    const { apiKeys, ...others } = made;
    const secrets = [...Object.values(others), ...Object.values(apiKeys), ...Object.values(SECRETS), ...shown];
    expect(secrets.filter((secret) => secret.length < 20)).toEqual([]);
    expect(secrets.length).toBe(20);
    const found = [...secrets, VISITOR].filter((secret) => logs.some((log) => log.includes(secret)));
    expect(found).toEqual([]);
  });
});

/** Names in rules and dashboards; `hopcount:…` are recorded there. */
function metricsAskedFor(): string[] {
  const folders = ['prometheus/rules', 'grafana'].map((name) => join('deploy/observability', name));
  const files = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  const found = files.flatMap(
    (file) => readFileSync(file, 'utf8').match(/\b(hopcount|nodejs|process)_[a-z0-9_]+/g) ?? [],
  );
  return [...new Set(found)].filter((name) => name !== 'process_name');
}

function createLink({ file }: RunningStack): Promise<Response> {
  return fetch(`${file.apiUrl}/rest/v3/short-urls`, {
    method: 'POST',
    headers: { 'X-Api-Key': file.apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ longUrl: 'https://example.com/', customSlug: SLUG }),
  });
}

function visit({ file }: RunningStack): Promise<Response> {
  return fetch(`${file.gatewayUrl}/${SLUG}`, { redirect: 'manual', headers: { 'X-Forwarded-For': VISITOR } });
}

function pidsOf(processes: Record<string, number[]>): number[] {
  return Object.values(processes).flat();
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function commandLines(): string[] {
  return execFileSync('ps', ['-eo', 'args='], { encoding: 'utf8' }).split('\n');
}

async function pidsAfterRestart(stack: RunningStack, kind: ProcessKind, before: number[]): Promise<number[]> {
  for (;;) {
    const now = (await stack.read()).processes[kind];
    if (now.length === before.length && now.some((pid) => !before.includes(pid))) return now;
    await sleep(100);
  }
}
