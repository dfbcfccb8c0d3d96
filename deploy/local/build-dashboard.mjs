// @ts-check
// Bundles apps/dashboard into apps/dashboard/dist/web, which the api serves; only when something it is made of has changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');
const PROJECT = join(ROOT, 'apps/dashboard');
const TARGET = join(PROJECT, 'dist/web');
/** Versions of the packages are in package.json, where they are exact. */
const INPUTS = [
  'index.html',
  'package.json',
  'vite.config.mjs',
  'compress-files.mjs',
  'first-load.mjs',
  'preload-first.mjs',
  'public',
  'src',
  '../../libs/client/src',
];
const NO_INPUT = /\.spec(-helpers)?\.tsx?$/;

/** @returns {string} changes whenever the bundle may */
function inputsDigest() {
  const hash = createHash('sha256');
  for (const input of INPUTS) {
    const path = join(PROJECT, input);
    const files = statSync(path).isFile()
      ? [path]
      : readdirSync(path, { recursive: true, encoding: 'utf8' })
          .sort()
          .map((name) => join(path, name));
    for (const file of files) {
      if (NO_INPUT.test(file) || !statSync(file).isFile()) continue;
      hash
        .update(`${file.slice(ROOT.length)}\0`)
        .update(readFileSync(file))
        .update('\0');
    }
  }
  return hash.digest('hex');
}

/** @returns {boolean} whether the bundle is there; what is wrong goes to the terminal */
export function buildDashboard() {
  const digest = inputsDigest();
  const made = join(TARGET, '.inputs');
  if (existsSync(made) && readFileSync(made, 'utf8') === digest) return true;
  // Beside it, and put in its place whole: an api that starts meanwhile reads one version.
  const aside = `${TARGET}.${process.pid}`;
  const old = `${aside}.old`;
  try {
    const vite = join(
      dirname(createRequire(join(PROJECT, 'package.json')).resolve('vite/package.json')),
      'bin/vite.js',
    );
    const args = [vite, 'build', '--logLevel', 'warn', '--outDir', aside];
    const { status } = spawnSync(process.execPath, args, { cwd: PROJECT, stdio: 'inherit' });
    if (status !== 0) return false;
    writeFileSync(join(aside, '.inputs'), digest);
    if (existsSync(TARGET)) renameSync(TARGET, old);
    renameSync(aside, TARGET);
    return true;
  } catch (error) {
    // Another build was faster by a moment: what is there is of the same inputs.
    if (existsSync(made) && readFileSync(made, 'utf8') === digest) return true;
    process.stderr.write(`the dashboard could not be built: ${/** @type {Error} */ (error).message}\n`);
    return false;
  } finally {
    for (const folder of [aside, old]) rmSync(folder, { recursive: true, force: true });
  }
}
