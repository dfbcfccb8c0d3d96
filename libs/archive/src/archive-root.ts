import { AppError } from '@hopcount/runtime';

import type { ArchiveRoot } from './store/open-store.js';

const MB = 1024 ** 2;

/** As `env.archive()` has them; see there. */
export interface ArchiveConfig {
  archiveUrl?: string | { bucket: string; prefix: string } | undefined;
  archiveCache?: string | undefined;
  archiveCacheSize: number;
  awsEndpointUrl?: string | undefined;
  awsEndpointUrlS3?: string | undefined;
}

/** @returns undefined without ARCHIVE_URL @throws AppError `invalid-config`: a bucket, and no folder for its files */
export function archiveRoot(config: ArchiveConfig): ArchiveRoot | undefined {
  const { archiveUrl, archiveCache, archiveCacheSize, awsEndpointUrlS3, awsEndpointUrl } = config;
  if (archiveUrl === undefined || typeof archiveUrl === 'string') return archiveUrl;
  if (archiveCache === undefined) {
    throw new AppError(
      'invalid-config',
      'ARCHIVE_URL is a bucket: set ARCHIVE_CACHE to a folder for copies of its files and for what is being written.',
    );
  }
  const endpoint = awsEndpointUrlS3 ?? awsEndpointUrl;
  return { ...archiveUrl, endpoint, cacheFolder: archiveCache, cacheBytes: archiveCacheSize * MB };
}
