import { describe, expect, it } from '@jest/globals';

import { archiveRoot } from './archive-root.js';

describe('where the archive is', () => {
  const archiveUrl = { bucket: 'bucket', prefix: 'a/prefix' };
  const bucket = { archiveUrl, archiveCache: '/var/cache', archiveCacheSize: 600 };

  it('is nowhere without ARCHIVE_URL, and a folder as it is', () => {
    expect(archiveRoot({ archiveCacheSize: 600 })).toBeUndefined();
    expect(archiveRoot({ archiveUrl: '/var/archive', archiveCacheSize: 600 })).toBe('/var/archive');
  });

  it('is a bucket with a folder for copies, and of another provider than AWS with its address', () => {
    expect(archiveRoot(bucket)).toEqual({ ...archiveUrl, cacheFolder: '/var/cache', cacheBytes: 600 << 20 });
    const elsewhere = { ...bucket, awsEndpointUrl: 'http://all.test' };
    expect(archiveRoot(elsewhere)).toMatchObject({ endpoint: 'http://all.test' });
    expect(archiveRoot({ ...elsewhere, awsEndpointUrlS3: 'http://s3.test' })).toMatchObject({
      endpoint: 'http://s3.test',
    });
  });

  it('is no bucket without a folder for copies', () => {
    expect(() => archiveRoot({ archiveUrl, archiveCacheSize: 600 })).toThrow(/ARCHIVE_CACHE/);
  });
});
