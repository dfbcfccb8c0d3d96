import { freePorts } from '@hopcount/testing';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { call } from './http.js';
import { endChild, launch, listens } from './own-services.js';

const FILES = join(process.cwd(), 'deploy/observability');

/** What Alertmanager told the test's own receiver. */
export interface Told {
  /** `/pages` or `/warnings`: the receiver. */
  receiver: string;
  status: 'firing' | 'resolved';
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

interface Rule {
  type: 'alerting' | 'recording';
  name: string;
  query: string;
}

interface Sample {
  metric: Record<string, string>;
  value: [number, string];
}

/** A real Prometheus and a real Alertmanager with the files of deploy/observability, and somebody who is told. */
export interface Monitoring {
  readonly told: readonly Told[];
  rules(): Promise<Rule[]>;
  targets(): Promise<{ health: string; labels: Record<string, string>; lastError: string }[]>;
  /** Values now; @throws what Prometheus says is wrong with the expression */
  ask(expression: string): Promise<Sample[]>;
  /** `alertname` of those that fire. */
  firing(): Promise<string[]>;
  stop(): Promise<void>;
}

/** @param targetsFile as `npm start` writes it */
export async function startMonitoring(targetsFile: string): Promise<Monitoring> {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-monitoring-'));
  const [prometheus, alertmanager] = (await freePorts(2)) as [number, number];
  const told: Told[] = [];
  const receiver = await startReceiver(told);
  const children: ChildProcess[] = [];
  writeSettings(folder, { targetsFile, alertmanager, receiver: (receiver.address() as AddressInfo).port });
  const stop = async () => {
    await Promise.all(children.map(endChild));
    receiver.close();
    receiver.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await launch(program('prometheus-alertmanager', alertmanager, alertmanagerArguments(folder)), children);
    await launch(program('prometheus', prometheus, prometheusArguments(folder)), children);
  } catch (error) {
    await stop();
    throw error;
  }
  const api = async <Data>(path: string): Promise<Data> => {
    const { body } = await call(`http://127.0.0.1:${prometheus}/api/v1/${path}`);
    const { status, data, error } = JSON.parse(body) as { status: string; data: Data; error?: string };
    if (status !== 'success') throw new Error(`${path}: ${error}`);
    return data;
  };
  return {
    told,
    rules: async () => (await api<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap(({ rules }) => rules),
    targets: async () =>
      (await api<{ activeTargets: Awaited<ReturnType<Monitoring['targets']>> }>('targets')).activeTargets,
    ask: async (expression) =>
      (await api<{ result: Sample[] }>(`query?query=${encodeURIComponent(expression)}`)).result,
    firing: async () =>
      (await api<{ alerts: { state: string; labels: Record<string, string> }[] }>('alerts')).alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels }) => labels['alertname'] ?? ''),
    stop,
  };
}

/** The project's files, with the addresses of the test and without their pauses: an operator waits minutes, a test does not. */
function writeSettings(folder: string, to: { targetsFile: string; alertmanager: number; receiver: number }): void {
  cpSync(join(FILES, 'prometheus/rules'), join(folder, 'rules'), { recursive: true });
  mkdirSync(join(folder, 'data'));
  const prometheus = readFileSync(join(FILES, 'prometheus/prometheus.yml'), 'utf8')
    .replaceAll('interval: 15s', 'interval: 2s')
    .replace('scrape_timeout: 10s', 'scrape_timeout: 2s')
    .replace('127.0.0.1:9093', `127.0.0.1:${to.alertmanager}`)
    .replace(/- files: \[.*\]/, `- files: ['${to.targetsFile}']`);
  writeFileSync(join(folder, 'prometheus.yml'), prometheus);
  const alertmanager = readFileSync(join(FILES, 'alertmanager/alertmanager.yml'), 'utf8')
    .replaceAll(/group_(wait|interval): \w+/g, 'group_$1: 1s')
    .replaceAll('127.0.0.1:9080', `127.0.0.1:${to.receiver}`);
  writeFileSync(join(folder, 'alertmanager.yml'), alertmanager);
}

function program(command: string, port: number, args: string[]) {
  const listen = `--web.listen-address=127.0.0.1:${port}`;
  return { name: command, command, args: [...args, listen], env: process.env, isReady: () => listens(port) };
}

function prometheusArguments(folder: string): string[] {
  return [`--config.file=${join(folder, 'prometheus.yml')}`, `--storage.tsdb.path=${join(folder, 'data')}`];
}

function alertmanagerArguments(folder: string): string[] {
  const settings = `--config.file=${join(folder, 'alertmanager.yml')}`;
  return [settings, `--storage.path=${join(folder, 'alerts')}`, '--cluster.listen-address='];
}

async function startReceiver(told: Told[]) {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const { alerts } = JSON.parse(body) as { alerts: Omit<Told, 'receiver'>[] };
      for (const alert of alerts) told.push({ ...alert, receiver: request.url ?? '' });
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
