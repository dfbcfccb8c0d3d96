// @ts-check
// What a stack leaves in its data folder: supervisor.json (who runs, for stop and for the next start),
// stack.json (how to reach it; there only while it is ready), secrets.json and held/ (kinds kept stopped).
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { isRunning, signalProcess, waitUntil } from './processes.mjs';

/**
 * @typedef {{pid: number, startedAt: string}} KnownProcess
 * @typedef {KnownProcess & {name: string, kind: string, stopSignal: NodeJS.Signals}} KnownChild
 * @typedef {KnownProcess & {children: KnownChild[]}} SupervisorState
 *
 * @typedef {object} StackDescription shape of libs/contracts/src/stack-file.ts
 * @property {string} gatewayUrl
 * @property {string} apiUrl
 * @property {Record<import('./apps.mjs').App, string[]>} opsUrls
 * @property {string} apiKey
 * @property {string} databaseUrl
 * @property {string} [databaseAdminUrl] of PostgreSQL's superuser; absent where PostgreSQL runs elsewhere
 * @property {string} redisUrl
 * @property {string} kafkaBrokers
 * @property {string} [archiveUrl]
 * @property {Record<import('./child.mjs').Kind, number[]>} processes
 */

const ORPHAN_GRACE_MS = 20_000;

/** @param {string} dataDir */
export function filesOf(dataDir) {
  return {
    supervisor: join(dataDir, 'supervisor.json'),
    stack: join(dataDir, 'stack.json'),
    targets: join(dataDir, 'prometheus-targets.json'),
    secrets: join(dataDir, 'secrets.json'),
    held: join(dataDir, 'held'),
    logs: join(dataDir, 'logs'),
  };
}

/** @param {string} dataDir */
export function prepareDataDir(dataDir) {
  mkdirSync(dataDir, { recursive: true });
  mkdirSync(filesOf(dataDir).logs, { recursive: true, mode: 0o700 });
}

/**
 * For data nobody wants back (tests): with PostgreSQL's files, wherever they had to be kept.
 * @param {string} dataDir
 */
export function removeDataDir(dataDir) {
  const note = join(dataDir, 'postgres-location');
  if (existsSync(note)) rmSync(readFileSync(note, 'utf8').trim(), { recursive: true, force: true });
  rmSync(dataDir, { recursive: true, force: true });
}

/**
 * Readers never see half a file.
 * @param {string} path
 * @param {unknown} value
 * @param {number} [mode]
 */
export function writeJson(path, value, mode = 0o600) {
  const unfinished = `${path}.${process.pid}`;
  writeFileSync(unfinished, `${JSON.stringify(value, null, 2)}\n`, { mode });
  renameSync(unfinished, path);
}

/**
 * Where Prometheus finds the metrics of each process (file_sd). Nothing of it is secret, and Prometheus is another user.
 * @param {string} path
 * @param {Record<string, string[]>} opsUrls by app
 */
export function writeTargets(path, opsUrls) {
  const targets = Object.entries(opsUrls).map(([app, urls]) => ({
    targets: urls.map((url) => new URL(url).host),
    labels: { app },
  }));
  writeJson(path, targets, 0o644);
}

/**
 * @param {string} path
 * @returns {unknown} undefined when the file is missing
 */
export function readJson(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/**
 * @param {string} dataDir
 * @returns {SupervisorState | undefined} of a supervisor that runs now
 */
export function runningSupervisor(dataDir) {
  const state = /** @type {SupervisorState | undefined} */ (readJson(filesOf(dataDir).supervisor));
  return state && isRunning(state) ? state : undefined;
}

/**
 * Ends what a supervisor that was killed left running, in the order of an orderly stop.
 * @param {string} dataDir
 * @param {import('./output.mjs').Say} say
 */
export async function stopOrphans(dataDir, say) {
  const files = filesOf(dataDir);
  const state = /** @type {SupervisorState | undefined} */ (readJson(files.supervisor));
  for (const child of state?.children ?? []) {
    if (!isRunning(child)) continue;
    say(`stopping ${child.name} (pid ${child.pid}), left over from a stack that was killed`);
    signalProcess(child.pid, child.stopSignal);
    if (await waitUntil(() => !isRunning(child), ORPHAN_GRACE_MS)) continue;
    signalProcess(child.pid, 'SIGKILL');
    await waitUntil(() => !isRunning(child), 5_000);
  }
  rmSync(files.supervisor, { force: true });
  rmSync(files.stack, { force: true });
  rmSync(files.targets, { force: true });
  rmSync(files.held, { recursive: true, force: true });
}

/**
 * @typedef {{hopcountSecret: string, databasePassword: string, applicationPassword: string, redisPassword: string,
 *   apiKeys: Record<string, string>}} Secrets databasePassword: of PostgreSQL's superuser
 *   apiKeys: by database (`own` or a URL), because a key is worth nothing in another one
 */

/**
 * Made once per data folder and kept: cookies and hashed visitors must stay valid over a restart.
 * @param {string} dataDir
 * @returns {Secrets}
 */
export function loadSecrets(dataDir) {
  const path = filesOf(dataDir).secrets;
  const known = /** @type {Partial<Secrets>} */ (readJson(path) ?? {});
  const secrets = {
    hopcountSecret: randomBytes(32).toString('hex'),
    databasePassword: randomBytes(16).toString('hex'),
    applicationPassword: randomBytes(16).toString('hex'),
    redisPassword: randomBytes(16).toString('hex'),
    apiKeys: {},
    ...known,
  };
  // Earlier versions made fewer.
  if (Object.keys(secrets).some((name) => !(name in known))) writeJson(path, secrets);
  return secrets;
}

/**
 * @param {string} dataDir
 * @returns {Set<string>} kinds that `npm stop -- <kind>` keeps stopped
 */
export function heldKinds(dataDir) {
  const folder = filesOf(dataDir).held;
  return new Set(existsSync(folder) ? readdirSync(folder) : []);
}

/**
 * @param {string} dataDir
 * @param {string} kind
 * @param {boolean} held
 */
export function setHeld(dataDir, kind, held) {
  const folder = filesOf(dataDir).held;
  mkdirSync(folder, { recursive: true });
  if (held) writeFileSync(join(folder, kind), '');
  else rmSync(join(folder, kind), { force: true });
}
