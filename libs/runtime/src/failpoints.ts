import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

import { AppError } from './app-error.js';

/** What an armed point does when its turn has come: end the process as kill -9 does, or throw. */
type Action = 'kill' | 'throw';

interface Armed {
  action: Action;
  hitsLeft: number;
}

const LOOK_EVERY_MS = 50;
const SOON_MS = 2;
const CLOCK_FILE = 'clock-offset';

let folder: string | undefined;
const armed = new Map<string, Armed>();

/**
 * For tests of crashes only. `folder` (HOPCOUNT_FAILPOINTS) holds one file per armed point, named after it,
 * with `<kill|throw>:<nth hit>` inside; points can be armed while the process runs. A point fires once in
 * all processes that look at the folder: its file is first renamed to `<point>.fired-<pid>`, which is also
 * the proof that it fired. A file `clock-offset` holds milliseconds by which this process's clock is wrong.
 * @throws AppError `invalid-config` in production
 */
export function armFailpoints(environment: NodeJS.ProcessEnv): void {
  const path = environment['HOPCOUNT_FAILPOINTS'];
  if (path === undefined || path === '') return;
  if (environment['NODE_ENV'] === 'production') {
    throw new AppError(
      'invalid-config',
      'HOPCOUNT_FAILPOINTS kills this process on purpose: not with NODE_ENV=production.',
    );
  }
  folder = path;
  const trueNow = Date.now.bind(Date);
  let clockOffsetMs = 0;
  Date.now = () => trueNow() + clockOffsetMs;
  const look = () => {
    const names = readdirSync(path);
    for (const name of names) if (!name.includes('.fired-') && name !== CLOCK_FILE) arm(path, name);
    clockOffsetMs = names.includes(CLOCK_FILE) ? Number(readFileSync(join(path, CLOCK_FILE), 'utf8')) : 0;
    for (const name of armed.keys()) if (!names.includes(name)) armed.delete(name);
  };
  look();
  setInterval(look, LOOK_EVERY_MS).unref();
}

/**
 * A named place where a test may end this process, or make this step fail. Without {@link armFailpoints}
 * it is one comparison (2 ns a call).
 */
export function failpoint(name: string): void {
  if (folder !== undefined) hit(folder, name);
}

/** The same, a little later: once what has just been asked for is likely on its way, but not answered. */
export function failpointSoon(name: string): void {
  if (folder !== undefined) setTimeout(failpoint, SOON_MS, name);
}

function arm(path: string, name: string): void {
  if (armed.has(name)) return;
  const [, action, nth] = /^(kill|throw):(\d+)$/.exec(readFileSync(join(path, name), 'utf8').trim()) ?? [];
  if (action !== undefined) armed.set(name, { action: action as Action, hitsLeft: Number(nth) });
}

function hit(path: string, name: string): void {
  const point = armed.get(name);
  if (point === undefined || --point.hitsLeft > 0) return;
  armed.delete(name);
  try {
    renameSync(join(path, name), join(path, `${name}.fired-${process.pid}`));
  } catch {
    return; // another process was first
  }
  if (point.action === 'kill') process.kill(process.pid, 'SIGKILL');
  throw new AppError('failpoint', `The failpoint ${name} was armed.`);
}
