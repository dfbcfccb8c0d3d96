import { stat } from 'node:fs/promises';

/**
 * What the file system says of a file: a write to it, or another file in its place, changes its time of change, which no
 * program can set back. @returns undefined: there is no such file, or it cannot be read
 */
export async function stampOf(path: string): Promise<string | undefined> {
  try {
    const info = await stat(path, { bigint: true });
    return [info.dev, info.ino, info.size, info.mtimeNs, info.ctimeNs].join(' ');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EIO', 'ESTALE'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
