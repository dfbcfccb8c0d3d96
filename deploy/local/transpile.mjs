// @ts-check
// Makes JavaScript of every project's TypeScript, src/**/*.ts -> dist/**/*.js, without looking at types (a fifth of the time);
// `npm run typecheck` does. What has not changed since is left alone.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { transform, version } from '@swc/core';

import { SWC_OPTIONS } from '../../swc.options.mjs';
import { ROOT } from './settings.mjs';

const SOURCE = /^(?!.*\.(spec|spec-helpers|d)\.ts$).*\.ts$/;
const STAMPS = '.transpiled.json';
const HOW = JSON.stringify([version, SWC_OPTIONS]);

/** By file in src: of what it was made, and when that was written. @typedef {Record<string, {source: string, writtenAtMs: number}>} Stamps */

/** @returns {string[]} folders of projects that run in Node */
function projects() {
  return ['libs', 'apps']
    .flatMap((kind) => readdirSync(join(ROOT, kind)).map((name) => join(ROOT, kind, name)))
    .filter((folder) => existsSync(join(folder, 'src')) && !folder.endsWith('apps/dashboard'));
}

/** @param {string} file @returns {Stamps} */
function readStamps(file) {
  try {
    /** @type {Stamps} */
    const stamps = JSON.parse(readFileSync(file, 'utf8'));
    return stamps;
  } catch {
    // No such file, or damaged: everything is transpiled anew.
    return {};
  }
}

/**
 * Nobody ever sees half a file.
 * @param {string} file
 * @param {string} text
 */
function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  const aside = `${file}.${process.pid}`;
  writeFileSync(aside, text);
  renameSync(aside, file);
}

/** @param {string} project */
async function transpileProject(project) {
  const dist = join(project, 'dist');
  const known = readStamps(join(dist, STAMPS));
  const targetOf = (/** @type {string} */ name) => join(dist, name.replace(/\.ts$/, '.js'));
  const names = readdirSync(join(project, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    SOURCE.test(name),
  );
  const stamps = await Promise.all(
    names.map(async (name) => {
      const text = readFileSync(join(project, 'src', name), 'utf8');
      const source = createHash('sha256').update(HOW).update(text).digest('hex');
      const target = targetOf(name);
      const stamp = known[name];
      const isThere = stamp?.source === source && existsSync(target) && statSync(target).mtimeMs === stamp.writtenAtMs;
      if (isThere) return /** @type {const} */ ([name, stamp]);
      write(target, (await transform(text, { ...SWC_OPTIONS, filename: join(project, 'src', name) })).code);
      return /** @type {const} */ ([name, { source, writtenAtMs: statSync(target).mtimeMs }]);
    }),
  );
  for (const gone of Object.keys(known).filter((name) => !names.includes(name)))
    rmSync(targetOf(gone), { force: true });
  write(join(dist, STAMPS), JSON.stringify(Object.fromEntries(stamps)));
}

/** @returns {Promise<boolean>} whether all of it could be read; what is wrong goes to the terminal */
export async function transpile() {
  try {
    await Promise.all(projects().map(transpileProject));
    return true;
  } catch (error) {
    process.stderr.write(`${/** @type {Error} */ (error).message}\n`);
    return false;
  }
}
