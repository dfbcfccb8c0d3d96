import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { DAMAGED_SUFFIX, LOCK_FILE } from '../visits/spool/spool-folder.js';

/**
 * Whether a visit may lie in a folder of the spool, of whatever process, rejected ones included. Damaged segments count
 * as none: all that can be read of them is in Kafka, and no process reads them again.
 */
export async function holdsVisits(root: string): Promise<boolean> {
  // Twice: a segment that is moved while we look may be missed once.
  return (await look(root)) || (await look(root));
}

async function look(root: string): Promise<boolean> {
  for (const entry of await readdir(root, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const files = await readdir(join(root, entry.name)).catch((error: NodeJS.ErrnoException) => {
      // Gone meanwhile, or none of ours (`lost+found`).
      if (error.code === 'ENOENT' || error.code === 'EACCES') return [];
      throw error;
    });
    if (files.some((file) => file !== LOCK_FILE && !file.endsWith(DAMAGED_SUFFIX))) return true;
  }
  return false;
}
