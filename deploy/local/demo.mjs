// @ts-check
// `npm run demo [-- --visits 3000]`: visits a few links of the running stack with real user agents and
// addresses of many countries, then shows their statistics. The work is apps/system-tests/src/demo.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const stackFile = join(resolve(ROOT, process.env['HOPCOUNT_DATA_DIR'] || '.data'), 'stack.json');
const main = join(ROOT, 'apps/system-tests/dist/demo/main.js');

if (!existsSync(stackFile) || !existsSync(main)) {
  console.error('No stack is running. Start one that believes forwarded addresses, then run the demo again:');
  console.error('  TRUSTED_PROXIES=127.0.0.1/32 npm start -- --detach');
  process.exit(1);
}
const child = spawn(process.execPath, [main, stackFile, ...process.argv.slice(2)], { cwd: ROOT, stdio: 'inherit' });
child.once('exit', (code, signal) => {
  process.exitCode = code ?? (signal === null ? 1 : 130);
});
