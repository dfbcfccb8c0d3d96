import type { BigIntStats } from 'node:fs';
import { stat } from 'node:fs/promises';

const SECOND_NS = 1_000_000_000n;

/**
 * What the file system says of a file: whoever writes to it, or puts another in its place, changes its time of change, which no
 * program can set back. @returns undefined: there is no such file, or it cannot be read
 */
export async function stampOf(path: string): Promise<string | undefined> {
  const info = await statOf(path);
  return info === undefined ? undefined : [info.dev, info.ino, info.size, info.mtimeNs, info.ctimeNs].join(' ');
}

/**
 * The same of a copy in the cache, where links and times of use change the time of change: times of use are whole seconds, the
 * time of a write has a fraction.
 */
export async function stampOfCopy(path: string): Promise<string | undefined> {
  const info = await statOf(path);
  if (info === undefined) return undefined;
  return [info.dev, info.ino, info.size, isTimeOfUse(info) ? 'used' : info.mtimeNs].join(' ');
}

export function isUnwritten(stamp: string): boolean {
  return stamp.endsWith(' used');
}

function isTimeOfUse({ mtimeNs }: BigIntStats): boolean {
  return mtimeNs % SECOND_NS === 0n;
}

async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await stat(path, { bigint: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EIO', 'ESTALE'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
