// @ts-check
// `npm run bench [-- --only redirects,consumer,slots,statistics,heat,list,outages,archive,labels --runs 3]`: builds, then measures
// on a stack of its own. The work is apps/system-tests/src/bench; results go to bench-results/.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { build } from './build.mjs';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

if (!(await build())) process.exit(1);
const main = join(ROOT, 'apps/system-tests/dist/bench/main.js');
// A Ctrl-C reaches both: the child stops its stack first and then ends, this process waits for it.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => child.kill('SIGTERM'));
const child = spawn(process.execPath, [main, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
child.once('exit', (code) => {
  process.exitCode = code ?? 1;
});
