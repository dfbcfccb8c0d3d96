import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { env, parseConfig } from './config.js';

const schema = z.object({
  PORT: env.port(8080),
  SECRET: env.secrets().HOPCOUNT_SECRET,
  CIDRS: env.list(),
  ON: env.flag(false),
  DRAIN_MS: env.positiveInt(5),
});
const SECRET = 'x'.repeat(32);

describe('settings', () => {
  it('have defaults, also for variables that are set to nothing', () => {
    expect(parseConfig(schema, { SECRET, PORT: '' })).toEqual({
      port: 8080,
      secret: SECRET,
      cidrs: [],
      on: false,
      drainMs: 5,
    });
  });

  it('are typed and named as in the code', () => {
    const config = parseConfig(schema, { SECRET, PORT: '0', CIDRS: '10.0.0.0/8, ::1/128,', ON: '1' });
    expect(config).toEqual({ port: 0, secret: SECRET, cidrs: ['10.0.0.0/8', '::1/128'], on: true, drainMs: 5 });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('name everything that is wrong at once', () => {
    const wrong = () => parseConfig(schema, { PORT: '99999', SECRET: 'short', ON: 'maybe' });
    expect(wrong).toThrow(/PORT[^]*SECRET: at least 32 characters[^]*ON/);
  });

  it('of the archive are a folder, a time and a size with their units', () => {
    const archive = z.object(env.archive());
    const defaults = { sealAfter: 6 * 3_600_000, archiveMemory: 512, archiveCacheSize: 10_240 };
    expect(parseConfig(archive, {})).toEqual(defaults);
    expect(
      parseConfig(archive, { ARCHIVE_URL: 'file:///var/a%20b', SEAL_AFTER: '90m', ARCHIVE_MEMORY: '2GB' }),
    ).toEqual({
      ...defaults,
      archiveUrl: '/var/a b',
      sealAfter: 90 * 60_000,
      archiveMemory: 2_048,
    });
    const wrong = { ARCHIVE_URL: 'https://bucket.test', SEAL_AFTER: '6', ARCHIVE_MEMORY: '128MB' };
    expect(() => parseConfig(archive, wrong)).toThrow(
      /ARCHIVE_URL: a folder[^]*ARCHIVE_MEMORY: at least 256MB[^]*SEAL_AFTER/,
    );
  });

  it('of an archive in a bucket are its name and a prefix without slashes at its ends', () => {
    const urlOf = (url: string) => parseConfig(z.object(env.archive()), { ARCHIVE_URL: url }).archiveUrl;
    expect(urlOf('s3://a-bucket')).toEqual({ bucket: 'a-bucket', prefix: '' });
    expect(urlOf('s3://a-bucket/')).toEqual({ bucket: 'a-bucket', prefix: '' });
    expect(urlOf('s3://a.bucket.9/some/prefix/')).toEqual({ bucket: 'a.bucket.9', prefix: 'some/prefix' });
    for (const wrong of ['s3://', 's3:/bucket', 's3://Bucket', 's3://b/a?b', 's3://key:secret@bucket']) {
      expect(() => urlOf(wrong)).toThrow(/ARCHIVE_URL: a folder/);
    }
  });
});
