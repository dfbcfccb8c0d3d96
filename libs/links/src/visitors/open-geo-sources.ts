import { readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import type { Logger } from '@hopcount/runtime';
import { Reader } from 'maxmind';

import type { GeoSource } from './locate-visitor.js';

export interface OpenGeoOptions {
  logger: Logger;
  onBroken: (file: string) => void;
}

/**
 * The files that can be opened. A missing or corrupt one costs its places, never the consumer: it is
 * logged loudly and reported to `onBroken`. A file whose name says IPv6 is read when the first such
 * address comes (once, 60 ms): it is 70 MB that many installations never need.
 */
export function openGeoSources(files: readonly string[], options: OpenGeoOptions): GeoSource[] {
  return files.flatMap((file) => {
    try {
      if (!/ipv6/i.test(file)) return [readSource(file)];
      statSync(file);
      return [createLazySource(file, options)];
    } catch (error) {
      reportBroken(file, error, options);
      return [];
    }
  });
}

/** The same without stopping the process while files are read; all of them at once. */
export async function loadGeoSources(files: readonly string[], options: OpenGeoOptions): Promise<GeoSource[]> {
  const sources = files.map(async (file) => {
    try {
      return [sourceOf(await readFile(file))];
    } catch (error) {
      reportBroken(file, error, options);
      return [];
    }
  });
  return (await Promise.all(sources)).flat();
}

function readSource(file: string): GeoSource {
  return sourceOf(readFileSync(file));
}

function sourceOf(bytes: Buffer): GeoSource {
  // Without a cache in the reader: ours holds places, which are smaller than records.
  const reader = new Reader<never>(bytes);
  return { ipVersion: reader.metadata.ipVersion === 4 ? 4 : 6, get: (address) => reader.get(address) };
}

function createLazySource(file: string, options: OpenGeoOptions): GeoSource {
  let opened: GeoSource | 'broken' | undefined;
  return {
    ipVersion: 6,
    get: (address) => {
      if (!address.includes(':')) return null;
      try {
        opened ??= readSource(file);
      } catch (error) {
        opened = 'broken';
        reportBroken(file, error, options);
      }
      return opened === 'broken' ? null : opened.get(address);
    },
  };
}

export function reportBroken(file: string, error: unknown, options: OpenGeoOptions): void {
  options.logger.error({ err: error, file }, 'file of addresses cannot be used; what only it knows becomes "unknown"');
  options.onBroken(file);
}
