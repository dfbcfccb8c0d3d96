// @ts-check
// `npm run chaos [-- --seed 1 --minutes 10]`: builds, then injects faults into a stack of its own while
// it is visited, and checks that nothing was lost or doubled. The work is apps/system-tests/src/chaos.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from './build.mjs';
import { installPrograms, PATRONI_PROGRAMS } from './prerequisites.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const SCRIPTS = { '--mutations': 'chaos/mutations/main.js' };

if (!(await build())) process.exit(3);
if (/ --topology[ =]replicated( |$)/.test(` ${process.argv.slice(2).join(' ')}`) && !process.argv.includes('--help')) {
  const folder = mkdtempSync(join(tmpdir(), 'hopcount-chaos-programs-'));
  const say = (/** @type {string} */ line) => process.stdout.write(`${line}\n`);
  await installPrograms(PATRONI_PROGRAMS, process.env, say, join(folder, 'apt.log')).catch((error) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)} (${folder}/apt.log)\n`);
    process.exit(3);
  });
  rmSync(folder, { recursive: true });
}
const [first = '', ...rest] = process.argv.slice(2);
const isMutations = first === '--mutations';
const script = join(ROOT, 'apps/system-tests/dist', isMutations ? SCRIPTS['--mutations'] : 'chaos/main.js');
const args = isMutations ? rest : process.argv.slice(2);
// A Ctrl-C reaches both; a second one ends the child at once, and npm stop its stack.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
const child = spawn(process.execPath, [script, ...args], { cwd: ROOT, stdio: 'inherit' });
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
