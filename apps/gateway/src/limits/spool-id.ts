import { randomUUID } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { syncDirectory } from '../visits/spool/spool-folder.js';

const ID_FILE = 'spool-id';
const WHOLE = /^[0-9a-f-]{36}$/;
/** Of a process that is just writing it. */
const READS = 50;
const PAUSE_MS = 20;

/**
 * Names the folder `root` for all processes that share it; made by the first of them.
 * @throws the system's error; also when the file holds something else
 */
export async function spoolId(root: string): Promise<string> {
  const path = join(root, ID_FILE);
  await mkdir(root, { recursive: true });
  const id = randomUUID();
  try {
    await writeFile(path, id, { flag: 'wx', flush: true });
    await syncDirectory(root);
    return id;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  for (let reads = 1; ; reads += 1) {
    const known = await readFile(path, 'utf8');
    if (WHOLE.test(known)) return known;
    if (reads === READS) throw new Error(`${path} holds no id; delete it, and a new one is made`);
    await sleep(PAUSE_MS);
  }
}
