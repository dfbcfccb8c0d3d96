import { describe, expect, it } from '@jest/globals';

import { configurationOf } from './configuration.js';

const wanted = { stanza: 'hopcount', dataFolder: '/data', port: 5432, user: 'hopcount', keep: 2 };

describe('what pgBackRest is told', () => {
  it('of a folder', () => {
    const text = configurationOf({ ...wanted, repository: '/backups', socketFolder: '/run/postgresql' });
    expect(text).toContain('[global]\nrepo1-path=/backups\nrepo1-retention-full=2\n');
    expect(text).toContain('[hopcount]\npg1-path=/data\npg1-port=5432\npg1-socket-path=/run/postgresql\n');
  });

  it('of a bucket, without its keys', () => {
    const text = configurationOf({
      ...{ ...wanted, repository: 's3://kept/hopcount' },
      ...{ endpoint: 'minio.example:9000', region: 'eu-1' },
    });
    expect(text).toContain('repo1-type=s3\nrepo1-path=/hopcount\nrepo1-s3-bucket=kept\n');
    expect(text).toContain('repo1-s3-endpoint=minio.example:9000\nrepo1-s3-region=eu-1\nrepo1-s3-uri-style=path\n');
    expect(text).not.toMatch(/s3-key/);
    expect(configurationOf({ ...wanted, repository: 's3://kept' })).toContain('repo1-path=/\n');
  });
});
