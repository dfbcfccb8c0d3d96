import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';

/** As a failing disk, or a copy from a backup, does it: the time of the last write stays. */
export function overwrite(path: string, bytes: Buffer): void {
  const { atime, mtime } = statSync(path);
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
}

/** Changes a bit, by default in the middle of the file. */
export function flip(path: string, at?: number): void {
  const bytes = readFileSync(path);
  bytes[at ?? bytes.length >> 1]! ^= 1;
  overwrite(path, bytes);
}
