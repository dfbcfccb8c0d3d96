import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * All that a build and a stack need: sources and what was built of them, scripts and package files are copied, so that little
 * is built anew; packages are linked. `@hopcount/*` leads to the copies, so that what is changed there is what runs.
 */
export function copyTree(from: string, to: string): void {
  mkdirSync(join(to, 'node_modules/@hopcount'), { recursive: true });
  for (const name of ['package.json', 'package-lock.json', 'swc.options.mjs', 'deploy']) copy(from, to, name);
  for (const kind of ['libs', 'apps']) {
    for (const project of readdirSync(join(from, kind)))
      copyProject(join(from, kind, project), join(to, kind, project));
  }
  for (const name of readdirSync(join(from, 'node_modules'))) {
    if (name !== '@hopcount') symlinkSync(join(from, 'node_modules', name), join(to, 'node_modules', name));
  }
  for (const name of readdirSync(join(from, 'node_modules/@hopcount'))) {
    const kind = existsSync(join(to, 'libs', name)) ? 'libs' : 'apps';
    symlinkSync(join(to, kind, name), join(to, 'node_modules/@hopcount', name));
  }
}

function copyProject(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === 'node_modules') symlinkSync(join(from, name), join(to, name));
    else copy(from, to, name);
  }
}

/** With their times, by which a build knows what it has made. */
function copy(from: string, to: string, name: string): void {
  cpSync(join(from, name), join(to, name), { recursive: true, preserveTimestamps: true });
}

/** @throws Error when `find` is not there exactly once: the code has changed, and so must the mutation */
export function editFile(path: string, find: string, replace: string): void {
  const text = readFileSync(path, 'utf8');
  const times = text.split(find).length - 1;
  if (times !== 1) throw new Error(`${path} holds ${times} times, not once:\n${find}`);
  writeFileSync(
    path,
    text.replace(find, () => replace),
  );
}
