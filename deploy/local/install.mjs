// @ts-check
// npm ci when node_modules is not what package-lock.json says; does nothing otherwise.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { installDependencies } from './npm-install.mjs';

const folder = mkdtempSync(join(tmpdir(), 'hopcount-install-'));
try {
  await installDependencies(process.env, (line) => process.stdout.write(`${line}\n`), join(folder, 'npm.log'));
} catch (error) {
  process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
