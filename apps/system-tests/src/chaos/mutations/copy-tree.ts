import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const BUNDLE_ONLY = `import { bundleApps } from './bundle-apps.mjs';
if (!(await bundleApps())) process.exitCode = 1;
`;

/**
 * What runs, without what it is made from: compiled code, scripts and package files are copied, all other
 * packages linked. `@hopcount/*` leads to the copies, so that what is changed there is what runs.
 */
export function copyBuiltTree(from: string, to: string): void {
  mkdirSync(join(to, 'node_modules/@hopcount'), { recursive: true });
  for (const name of ['package.json', 'package-lock.json', 'deploy']) {
    cpSync(join(from, name), join(to, name), { recursive: true });
  }
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
  // A stack builds what it starts; here compiling would undo the change.
  writeFileSync(join(to, 'deploy/local/build.mjs'), BUNDLE_ONLY);
}

function copyProject(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from)) {
    if (name === 'node_modules') symlinkSync(join(from, name), join(to, name));
    else if (name !== 'src') cpSync(join(from, name), join(to, name), { recursive: true });
  }
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
