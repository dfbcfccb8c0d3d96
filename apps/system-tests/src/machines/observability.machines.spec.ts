import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { type ShortUrl, VISITS_TOPIC } from '@hopcount/contracts';
import { waitUntil } from '@hopcount/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import kafkajs from 'kafkajs';

import { runCliWith } from '../harness/cli.js';
import { call } from '../harness/http.js';
import { LinksApi } from '../harness/links.js';
import { type Monitoring, startMonitoring } from '../harness/monitoring.js';
import { type RunningStack, startStack } from '../harness/stack.js';
import { VisitorLoad } from '../harness/visitor-load.js';

const START_MS = 300_000;
const FILES = join(process.cwd(), 'deploy/observability');
const RUNBOOKS = join(process.cwd(), 'docs/operations/runbooks');
/** Prometheus' own advice of what we did not name. */
const NOT_OURS = /^(nodejs|process)_/;

describe('the files for Prometheus and Alertmanager', () => {
  const said = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: FILES, encoding: 'utf8' });
    return status === 0 ? 'right' : stdout + stderr;
  };
  const filesIn = (folder: string) => readdirSync(join(FILES, folder)).map((name) => join(folder, name));

  it('are settings that both accept', () => {
    expect(said('promtool', 'check', 'config', 'prometheus/prometheus.yml')).toBe('right');
    expect(said('promtool', 'check', 'rules', ...filesIn('prometheus/rules'))).toBe('right');
    expect(said('amtool', 'check-config', 'alertmanager/alertmanager.yml')).toBe('right');
  });

  it('fire each alert when there is reason, say what is wrong, and stay silent beside', () => {
    expect(said('promtool', 'test', 'rules', ...filesIn('prometheus/tests'))).toBe('right');
  });
});

describe('a stack that is watched by Prometheus and Alertmanager', () => {
  let stack: RunningStack;
  let monitoring: Monitoring;
  let load: VisitorLoad;
  let running: Promise<void>;
  const halt = new AbortController();
  const links: ShortUrl[] = [];

  beforeAll(async () => {
    const limits = { RATE_LIMIT_REDIRECTS: 'true', REDIRECT_LIMIT: '100000:100000' };
    stack = await startStack({ env: { GATEWAYS: '2', SEAL_INTERVAL_MS: '2000', ...limits } });
    monitoring = await startMonitoring(join(stack.dataDir, 'prometheus-targets.json'));
    const api = new LinksApi(stack.file);
    links.push(...(await api.createPages(5)));
    load = new VisitorLoad({ gatewayUrl: stack.file.gatewayUrl, links, concurrency: 4, seed: 17, reconnectOneIn: 10 });
    running = load.run(Number.MAX_SAFE_INTEGER, { signal: halt.signal, pauseMs: 50 });
  }, START_MS);
  afterAll(async () => {
    halt.abort();
    await running;
    load?.close();
    await monitoring?.stop();
    await stack?.stop();
  }, START_MS);

  const becomes = (what: string, condition: () => Promise<boolean> | boolean, timeoutMs = 240_000) =>
    waitUntil(async () => condition(), { describe: what, timeoutMs, everyMs: 500 });
  const fires = (name: string) => becomes(`${name} to fire`, async () => (await monitoring.firing()).includes(name));
  const toldOf = (name: string, status: 'firing' | 'resolved') =>
    monitoring.told.find(({ labels, status: said }) => labels['alertname'] === name && said === status);
  /** Expressions without a value. */
  const withoutData = async (expressions: readonly string[]) => {
    const empty: string[] = [];
    for (const expression of expressions) {
      const samples = await monitoring.ask(expression);
      if (samples.every(({ value: [, value] }) => value === 'NaN')) empty.push(expression);
    }
    return empty;
  };

  it('has every process among its targets, and each answers', async () => {
    const perApp = { api: 1, consumer: 1, gateway: 2, worker: 1 };
    await becomes('every target to be up', async () => {
      const targets = await monitoring.targets();
      return targets.length === 5 && targets.every(({ health }) => health === 'up');
    });
    const found = (await monitoring.targets()).map(({ labels }) => labels['app'] ?? '');
    expect(
      Object.fromEntries(Object.keys(perApp).map((app) => [app, found.filter((one) => one === app).length])),
    ).toEqual(perApp);
  });

  it('shows metrics that promtool has nothing to say against', async () => {
    const complaints: string[] = [];
    for (const url of Object.values(stack.file.opsUrls).flat()) {
      const { body } = await call(`${url}/metrics`);
      const { stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], { input: body, encoding: 'utf8' });
      complaints.push(...`${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !NOT_OURS.test(line)));
    }
    expect(complaints).toEqual([]);
  });

  it('fires no alert while nothing is wrong', async () => {
    await sleep(20_000);
    expect(await monitoring.firing()).toEqual([]);
  });

  it("has runbooks whose commands are the CLI's", async () => {
    const environment = {
      DATABASE_URL: stack.file.databaseUrl,
      REDIS_URL: stack.file.redisUrl,
      KAFKA_BROKERS: stack.file.kafkaBrokers,
      ARCHIVE_URL: stack.file.archiveUrl ?? '',
      SPOOL_DIR: join(stack.dataDir, 'spool'),
    };
    const refused: string[] = [];
    for (const command of commandsOfRunbooks()) {
      const { code, stderr } = await runCliWith(environment, ...command.split(' '));
      // 3: something differs, which is for the reader to see.
      if (code !== 0 && code !== 3) refused.push(`${command}: ${code} ${stderr}`);
    }
    expect(refused).toEqual([]);
  });

  it('pages when Kafka is away, and says when it is over', async () => {
    await stack.hold('kafka');
    await fires('HopcountSpoolOld');
    await becomes('the page', () => toldOf('HopcountSpoolOld', 'firing') !== undefined);
    const { receiver, labels, annotations } = toldOf('HopcountSpoolOld', 'firing')!;
    expect([receiver, labels['severity']]).toEqual(['/pages', 'page']);
    expect(annotations['description']).toMatch(
      /^The oldest visit on the disk of gateway-\d has waited for [12]m \d+s\.$/,
    );
    expect(annotations['runbook_url']).toBe('docs/operations/runbooks/HopcountSpoolOld.md');
    expect(await monitoring.firing()).toContain('HopcountKafkaAway');
    await stack.resume('kafka');
    await becomes('the end of the page', () => toldOf('HopcountSpoolOld', 'resolved') !== undefined);
  });

  it('tells of a dead letter and of PostgreSQL away', async () => {
    await produceNonsense(stack);
    await becomes('a dead letter', async () => (await monitoring.ask('hopcount_dead_letters_waiting > 0')).length > 0);
    await stack.hold('postgres');
    await fires('HopcountPostgresAway');
    await stack.resume('postgres');
    await becomes('PostgreSQL back', async () => !(await monitoring.firing()).includes('HopcountPostgresAway'));
  });

  it('has data for every expression of rules and dashboards', async () => {
    await becomes('what each worker job does once a minute', async () => {
      const jobs = await monitoring.ask('hopcount_slot_drift_visits');
      return jobs.length > 0;
    });
    const rules = (await monitoring.rules()).map(({ query }) => query);
    const panels = expressionsOfDashboards();
    expect([rules.length, panels.length].every((count) => count > 40)).toBe(true);
    const asked = [...rules.filter((query) => !query.startsWith('absent(')).map(unfiltered), ...panels].filter(
      // Here is one Redis, not a cluster.
      (expression) => !expression.includes('hopcount_redis_node_load_ratio'),
    );
    const api = new LinksApi(stack.file);
    let empty = asked;
    const ask = async () => {
      await api.create({ longUrl: 'https://example.com/asked' });
      empty = await withoutData(empty);
      return empty.length === 0;
    };
    await waitUntil(ask, {
      ...{ timeoutMs: 60_000, describe: 'data', everyMs: 2_000 },
    }).catch(() => undefined);
    expect(empty).toEqual([]);
  });

  it('is missed when it is gone', async () => {
    halt.abort();
    await running;
    await stack.halt();
    await becomes('no target', async () => (await monitoring.ask('absent(up{job="hopcount"})')).length === 1);
  });
});

/** Each comparison says 0 or 1 instead of leaving out what it does not hold for: an empty answer means no data. */
function unfiltered(query: string): string {
  return query.replace(/\{[^}]*\}|\s(==|!=|>=|<=|>|<)\s/g, (found: string, comparison?: string) =>
    comparison === undefined ? found : ` ${comparison} bool `,
  );
}

function expressionsOfDashboards(): string[] {
  const folder = join(FILES, 'grafana');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const panels = texts.flatMap((text) => (JSON.parse(text) as { panels: { targets?: { expr: string }[] }[] }).panels);
  const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  return [...new Set(expressions)].map((expression) => expression.replaceAll('$__rate_interval', '1m'));
}

function commandsOfRunbooks(): string[] {
  const pages = readdirSync(RUNBOOKS).map((name) => readFileSync(join(RUNBOOKS, name), 'utf8'));
  const blocks = pages.flatMap((page) => [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block));
  const lines = blocks.flatMap((block) => block.trim().split('\n'));
  return [...new Set(lines)].map((line) => line.replace(/^hopcount /, ''));
}

async function produceNonsense({ file }: RunningStack): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers: file.kafkaBrokers.split(','), logLevel: kafkajs.logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic: VISITS_TOPIC, messages: [{ value: 'no visit' }] });
  await producer.disconnect();
}
