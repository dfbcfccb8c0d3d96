// @ts-check
// Makes JavaScript of every project, copies the files that are read at run time (.sql, .lua) beside it, and bundles the
// apps and the dashboard. Types are not looked at: `npm run typecheck`.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { buildDashboard } from './build-dashboard.mjs';
import { bundleApps } from './bundle-apps.mjs';
import { transpile } from './transpile.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const ASSET = /\.(sql|lua)$/;

function copyAssets() {
  for (const kind of ['libs', 'apps']) {
    for (const project of readdirSync(join(root, kind))) {
      const source = join(root, kind, project, 'src');
      for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
        if (!ASSET.test(file)) continue;
        const target = join(root, kind, project, 'dist', file);
        copyAsset(join(source, file), target);
      }
    }
  }
}

/**
 * Several stacks may be started, and so built, from one tree at a time: what is the same is left alone, and nobody ever
 * sees half a file.
 * @param {string} source
 * @param {string} target
 */
function copyAsset(source, target) {
  writeAside(target, readFileSync(source));
}

/**
 * @param {string} target
 * @param {Buffer} content
 */
function writeAside(target, content) {
  if (existsSync(target) && readFileSync(target).equals(content)) return;
  mkdirSync(dirname(target), { recursive: true });
  const aside = `${target}.${process.pid}`;
  writeFileSync(aside, content);
  renameSync(aside, target);
}

/** For libs/runtime/src/version.ts. Outside of a repository nobody knows it. */
function noteCommit() {
  const target = join(root, 'libs/runtime/dist/build-commit.txt');
  try {
    /** @type {import('node:child_process').ExecFileSyncOptionsWithStringEncoding} */
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    writeAside(target, Buffer.from(execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], options)));
  } catch {
    // Not a repository, or git is missing: the version then has no commit.
    rmSync(target, { force: true });
  }
}

/** @returns {Promise<boolean>} whether everything is there; what is wrong goes to the terminal */
export async function build() {
  return (await buildApps()) && buildDashboard();
}

/** All but the dashboard. @returns {Promise<boolean>} */
export async function buildApps() {
  copyAssets();
  noteCommit();
  return (await transpile()) && (await bundleApps());
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit((await build()) ? 0 : 1);
