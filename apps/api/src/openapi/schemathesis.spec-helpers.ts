import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const VERSION = '4.32.5';
/** Kept from run to run, as `npm ci` does not keep what is in node_modules. */
const FOLDER = fileURLToPath(new URL(`../../../../.nx/schemathesis-${VERSION}`, import.meta.url));
const CONFIG = fileURLToPath(new URL('schemathesis.toml', import.meta.url));
const run = promisify(execFile);

/** Installs schemathesis from PyPI where it is missing. @returns its program @throws saying what is missing */
export async function installSchemathesis(): Promise<string> {
  const program = `${FOLDER}/bin/schemathesis`;
  if (existsSync(program)) return program;
  // Whatever was cut short is not taken for whole.
  const python = `${FOLDER}/bin/python`;
  try {
    await rm(FOLDER, { recursive: true, force: true });
    await run('python3', ['-m', 'venv', FOLDER]);
    await run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`]);
  } catch (error) {
    await rm(program, { force: true });
    throw new Error(
      `schemathesis ${VERSION} could not be installed from PyPI: python3 with its venv module is needed (Debian: apt-get install python3-venv)`,
      { cause: error },
    );
  }
  return program;
}

/** @returns what it says, and whether it found nothing wrong */
export async function runSchemathesis(args: readonly string[]): Promise<{ isClean: boolean; report: string }> {
  const program = await installSchemathesis();
  try {
    return {
      isClean: true,
      report: (await run(program, ['--config-file', CONFIG, 'run', ...args], { cwd: FOLDER, maxBuffer: 1 << 26 }))
        .stdout,
    };
  } catch (error) {
    return { isClean: false, report: String((error as { stdout?: string }).stdout ?? error) };
  }
}
