// @ts-check
// `npm run dev`: the compiler looks at types whenever a file changes; where it finds no error the apps are built and start anew.
import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { ROOT } from './settings.mjs';

/**
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {import('./output.mjs').Say} say
 */
export function watchAndRestart(supervisor, say) {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const tsc = spawn(process.execPath, [compiler, '--watch', '--preserveWatchOutput', '--pretty', 'false'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => tsc.kill('SIGKILL'));
  let builds = 0;
  let work = Promise.resolve();
  let text = '';
  tsc.stdout.on('data', (chunk) => {
    text += String(chunk);
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) {
      if (/error TS\d+/.test(line)) say(line.trim());
      const found = /Found (\d+) errors?\./.exec(line);
      if (!found) continue;
      builds += 1;
      // The first report is about the build the apps have just been started from.
      if (builds > 1 && found[1] === '0') work = work.then(() => restart(supervisor, say));
    }
  });
  say('watching for changes');
}

/**
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {import('./output.mjs').Say} say
 */
async function restart(supervisor, say) {
  if (supervisor.stopping) return;
  try {
    const { buildApps } = await import('./build.mjs');
    if (!(await buildApps())) return say('the apps could not be built: the old code still runs');
    await supervisor.restart(['gateway', 'consumer', 'worker', 'api']);
    say('rebuilt; gateway, consumer, worker and api run the new code');
  } catch (error) {
    if (!supervisor.stopping) say(/** @type {Error} */ (error).message);
  }
}
