import { createReadStream } from 'node:fs';
import { finished } from 'node:stream/promises';

import type { Logger } from '@hopcount/runtime';

import type { GeoSource } from './locate-visitor.js';
import { MmdbReader } from './mmdb/mmdb-reader.js';

export interface OpenGeoOptions {
  logger: Logger;
  onBroken: (file: string) => void;
}

/**
 * The files that can be opened. A missing or corrupt one costs its places, never the process: it is
 * logged loudly and reported to `onBroken`.
 */
export function openGeoSources(files: readonly string[], options: OpenGeoOptions): GeoSource[] {
  return files.flatMap((file) => {
    try {
      return [new MmdbReader(file)];
    } catch (error) {
      reportBroken(file, error, options);
      return [];
    }
  });
}

/** The same, once each file has been read: look-ups, which wait for the disk, then find it in the system's own cache. */
export async function loadGeoSources(files: readonly string[], options: OpenGeoOptions): Promise<GeoSource[]> {
  const sources = openGeoSources(files, options);
  await Promise.all(files.map(readThrough));
  return sources;
}

async function readThrough(file: string): Promise<void> {
  try {
    await finished(createReadStream(file, { highWaterMark: 256 * 1_024 }).resume());
  } catch {
    // Whoever opens it says so.
  }
}

export function reportBroken(file: string, error: unknown, options: OpenGeoOptions): void {
  options.logger.error({ err: error, file }, 'file of addresses cannot be used; what only it knows becomes "unknown"');
  options.onBroken(file);
}
