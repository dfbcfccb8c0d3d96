// @ts-check
// npm stop: ends the stack of HOPCOUNT_DATA_DIR, or holds one kind of its processes.
import { StackError } from './output.mjs';
import { isRunning, signalProcess, waitUntil } from './processes.mjs';
import { readSettings } from './settings.mjs';
import { filesOf, readJson, runningSupervisor, setHeld, stopOrphans } from './stack-file.mjs';

const KINDS = ['gateway', 'consumer', 'worker', 'api', 'kafka', 'postgres', 'redis'];
const STOP_TIMEOUT_MS = 120_000;
const HELP = `npm stop                 stops the stack of HOPCOUNT_DATA_DIR (default .data); its data stays
npm stop -- <kind>       stops one kind of process and keeps it stopped (${KINDS.join(', ')});
                         npm start -- <kind> starts it again`;

/** @param {string} text */
function print(text) {
  process.stdout.write(`${text}\n`);
}

/** @param {string} dataDir */
async function stopStack(dataDir) {
  const supervisor = runningSupervisor(dataDir);
  if (!supervisor) {
    const hadState = readJson(filesOf(dataDir).supervisor) !== undefined;
    await stopOrphans(dataDir, print);
    return print(hadState ? 'Stopped what a killed stack had left.' : `No stack runs on ${dataDir}.`);
  }
  signalProcess(supervisor.pid, 'SIGTERM');
  if (!(await waitUntil(() => !isRunning(supervisor), STOP_TIMEOUT_MS))) {
    throw new StackError(`The stack (pid ${supervisor.pid}) did not stop within ${STOP_TIMEOUT_MS / 1000} s.`);
  }
  print('Stopped.');
}

/**
 * @param {string[]} kinds
 * @param {string} dataDir
 */
async function hold(kinds, dataDir) {
  const supervisor = runningSupervisor(dataDir);
  if (!supervisor) throw new StackError(`No stack runs on ${dataDir}.`);
  for (const kind of kinds) setHeld(dataDir, kind, true);
  signalProcess(supervisor.pid, 'SIGUSR2');
  const areGone = () => {
    const state = /** @type {import('./stack-file.mjs').SupervisorState | undefined} */ (
      readJson(filesOf(dataDir).supervisor)
    );
    return (state?.children ?? []).every(({ kind }) => !kinds.includes(kind));
  };
  if (!(await waitUntil(areGone, STOP_TIMEOUT_MS))) throw new StackError(`${kinds.join(', ')} did not stop.`);
  print(`${kinds.join(', ')} stopped; npm start -- ${kinds.join(' ')} starts it again.`);
}

async function main() {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) return print(HELP);
  const unknown = args.find((arg) => !KINDS.includes(arg));
  if (unknown) throw new StackError(`Unknown argument ${unknown}.\n\n${HELP}`);
  const { dataDir } = readSettings(process.env);
  return args.length > 0 ? await hold(args, dataDir) : await stopStack(dataDir);
}

try {
  await main();
} catch (error) {
  if (!(error instanceof StackError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
