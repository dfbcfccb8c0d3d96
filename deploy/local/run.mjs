// @ts-check
// node deploy/local/run.mjs [NAME [ARG …]]: installs the npm packages when needed, then runs deploy/local/NAME.mjs on the Node that Hopcount needs.
// npm packages bring that Node, too (optional dependencies of package.json): a machine whose own is Node 20 starts with this file.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installDependencies } from './npm-install.mjs';
import { StackError } from './output.mjs';
import { killRunningSteps } from './processes.mjs';
import { isNodeNewEnough, NODE, NODE_MAJOR, ROOT } from './settings.mjs';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

async function install() {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-install-'));
  for (const signal of SIGNALS) process.on(signal, killRunningSteps);
  try {
    await installDependencies(process.env, (line) => process.stdout.write(`${line}\n`), join(folder, 'npm.log'));
  } finally {
    for (const signal of SIGNALS) process.off(signal, killRunningSteps);
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The child has a process group of its own: what Ctrl-C sends to all of ours reaches it once, through us. Should this process be
 * killed, the channel closes, and the child ends itself.
 * @param {string[]} args
 */
async function runOnNewerNode(args) {
  const version = process.versions.node;
  process.stdout.write(`This is Node ${version}: Node ${NODE_MAJOR} of node_modules runs it.\n`);
  const child = spawn(NODE, [join(ROOT, 'deploy/local/run.mjs'), ...args], {
    cwd: process.cwd(),
    detached: true,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  const [code, signal] = await new Promise(
    (/** @type {(end: [number | null, NodeJS.Signals | null]) => void} */ resolve, reject) => {
      child.once('error', () => {
        const machine = `${process.platform} ${process.arch}`;
        const text = `Hopcount needs Node ${NODE_MAJOR} or newer; this is ${version}, and npm has installed none that runs on this machine (${machine})`;
        reject(new StackError(`${text}: please install Node ${NODE_MAJOR}.`));
      });
      child.once('exit', (...end) => resolve(end));
    },
  );
  if (signal === null) return code ?? 1;
  for (const name of SIGNALS) process.removeAllListeners(name);
  process.kill(process.pid, signal);
  return 1;
}

/** In this process. @param {string} name @param {string[]} args */
async function runHere(name, args) {
  if (process.connected) {
    process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    process.channel?.unref();
  }
  const script = join(ROOT, 'deploy/local', `${name}.mjs`);
  process.argv.splice(1, Infinity, script, ...args);
  await import(script);
}

const [name, ...args] = process.argv.slice(2);
try {
  await install();
  if (!isNodeNewEnough()) process.exitCode = name === undefined ? 0 : await runOnNewerNode([name, ...args]);
  else if (name !== undefined) await runHere(name, args);
} catch (error) {
  if (!(error instanceof StackError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
