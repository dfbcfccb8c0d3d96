// @ts-check
// The process behind `npm start`: brings the stack up and stays with it. It runs in a session of its
// own, so that a Ctrl-C at the terminal reaches only start.mjs, which asks it to stop. What it says
// goes to logs/supervisor.log and, while start.mjs listens, over the IPC channel.
//
// Options: --detached (outlive start.mjs), --watch (rebuild and restart), --services (no apps: for tests),
// --throwaway (with --services: what they hold need not outlive a crash of the machine).
import { join } from 'node:path';

import { appEnvironment, describeApps } from './apps.mjs';
import { StackError, appendLine, step } from './output.mjs';
import { ownPorts, readSettings, ROOT } from './settings.mjs';
import { requireFree } from './ports.mjs';
import { requirePrerequisites } from './prerequisites.mjs';
import { run } from './processes.mjs';
import { ensureApiKey, ownersLink, provision } from './provision.mjs';
import { startServices } from './services.mjs';
import { filesOf, loadSecrets, prepareDataDir, stopOrphans } from './stack-file.mjs';
import { Supervisor } from './supervisor.mjs';
import { welcome } from './welcome.mjs';
import { watchAndRestart } from './watch.mjs';

const options = new Set(process.argv.slice(2));
const settings = readSettings(process.env);
const files = filesOf(settings.dataDir);
const logs = files.logs;
prepareDataDir(settings.dataDir);

/** @param {string} line */
function say(line) {
  appendLine(join(logs, 'supervisor.log'), line);
  tell({ line });
}

/** @param {object} message */
function tell(message) {
  // start.mjs may be gone by now; nobody then wants the message.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
}

await stopOrphans(settings.dataDir, say);
const supervisor = new Supervisor(settings.dataDir, say);

let signals = 0;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    signals += 1;
    if (signals === 1) void shutDown(0);
    else supervisor.killAll();
  });
}
process.on('SIGUSR2', () => void supervisor.applyHolds());
process.once('disconnect', () => {
  if (!options.has('--detached')) void shutDown(0);
});

/** @param {number} exitCode */
async function shutDown(exitCode) {
  if (supervisor.stopping) return;
  say('stopping');
  await supervisor.stopAll();
  say('stopped');
  process.exit(exitCode);
}

async function bringUp() {
  await requireFree(options.has('--services') ? ownPorts(settings).slice(2) : ownPorts(settings));
  const setup = join(logs, 'setup.log');
  await requirePrerequisites(settings, process.env, say, setup);
  if (options.has('--services')) {
    const isThrowaway = options.has('--throwaway');
    tell({ ready: await startServices(settings, process.env, supervisor, { isThrowaway }) });
    return;
  }
  const [addresses] = await Promise.all([startServices(settings, process.env, supervisor), build()]);
  await startApps(addresses);
}

async function build() {
  const script = join(ROOT, 'deploy/local/build.mjs');
  const options = { cwd: ROOT, log: join(logs, 'build.log'), failure: 'The build failed' };
  await step(say, 'build', () => run(process.execPath, [script], options));
}

/**
 * The services as the apps see them: behind the fault suite's proxies, where it has any.
 * @param {{kafkaBrokers: string, databaseUrl: string, redisUrl: string}} services
 */
function throughProxies({ kafkaBrokers, databaseUrl, redisUrl }) {
  const { kafka, postgres, redis } = settings.proxyPorts;
  const through = (/** @type {string} */ address, /** @type {number | undefined} */ port) =>
    port === undefined ? address : address.replace(/:\d+(?=\/|$)/, `:${port}`);
  return {
    kafkaBrokers: through(kafkaBrokers, kafka),
    databaseUrl: through(databaseUrl, postgres),
    redisUrl: through(redisUrl, redis),
  };
}

/** @param {{kafkaBrokers: string, databaseUrl: string, redisUrl: string}} services */
async function startApps(services) {
  const secret = process.env['HOPCOUNT_SECRET'] || loadSecrets(settings.dataDir).hopcountSecret;
  const env = appEnvironment(settings, { ...throughProxies(services), secret }, process.env);
  await step(say, 'database schema and topics', () => provision(env, settings.dataDir));
  const { specs, opsUrls } = await describeApps(settings, env, logs);
  await Promise.all(specs.map((spec) => step(say, spec.name, () => supervisor.start(spec))));
  const apiUrl = `http://127.0.0.1:${settings.ports.api}`;
  const apiKey = await ensureApiKey(env, settings.dataDir, apiUrl, settings.given.databaseUrl ?? 'own');
  const gatewayUrl = `http://127.0.0.1:${settings.ports.gateway}`;
  if (supervisor.stopping) return;
  const archiveUrl = env['ARCHIVE_URL'] || undefined;
  supervisor.announce({ gatewayUrl, apiUrl, opsUrls, apiKey, archiveUrl, ...services });
  const firstOwner = await ownersLink(apiKey, apiUrl);
  // For the terminal alone: the log would keep a key, a password and a link that makes an account.
  for (const line of welcome({ gatewayUrl, apiUrl, apiKey, firstOwner, opsUrls, logs, archiveUrl, ...services })) {
    tell({ line });
  }
  appendLine(join(logs, 'supervisor.log'), 'Hopcount is ready; addresses and the API key are in stack.json');
  if (options.has('--watch')) watchAndRestart(supervisor, say);
  tell({ ready: services });
}

try {
  await bringUp();
} catch (error) {
  if (!supervisor.stopping) {
    const known = error instanceof StackError;
    const message = known ? error.message : String(/** @type {Error} */ (error).stack);
    say('start failed; stopping what was started');
    await supervisor.stopAll();
    appendLine(join(logs, 'supervisor.log'), message);
    tell({ failed: message });
    // The message must be out before the channel goes.
    setTimeout(() => process.exit(1), 100);
  }
}
