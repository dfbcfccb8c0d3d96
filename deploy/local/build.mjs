// @ts-check
// Compiles every project (TypeScript project references) and copies the files that are read at run
// time (.sql, .lua) beside the compiled code.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const ASSET = /\.(sql|lua)$/;

export function copyAssets() {
  for (const kind of ['libs', 'apps']) {
    for (const project of readdirSync(join(root, kind))) {
      const source = join(root, kind, project, 'src');
      for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
        if (!ASSET.test(file)) continue;
        const target = join(root, kind, project, 'dist', file);
        mkdirSync(dirname(target), { recursive: true });
        cpSync(join(source, file), target);
      }
    }
  }
}

/** @returns {boolean} whether everything compiled; the compiler's messages go to the terminal */
export function build() {
  const compiled = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b'], {
    cwd: root,
    stdio: 'inherit',
  });
  copyAssets();
  return compiled.status === 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(build() ? 0 : 1);
