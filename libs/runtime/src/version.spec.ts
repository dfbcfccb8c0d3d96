import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { env, parseConfig } from './config.js';
import { builtVersion, PACKAGE_VERSION } from './version.js';

const read = (environment: NodeJS.ProcessEnv) => parseConfig(z.object(env.ops(1)), environment).hopcountVersion;

describe('the version of a process', () => {
  it('is that of the packages, with the commit where the build knew it', () => {
    const { version } = JSON.parse(readFileSync(join(process.cwd(), 'package.json'), 'utf8')) as { version: string };
    expect(PACKAGE_VERSION).toBe(version);
    expect(builtVersion().split('+')[0]).toBe(version);
    expect(read({})).toBe(builtVersion());
  });

  it('is what HOPCOUNT_VERSION says, which fits into the names of gateways', () => {
    expect(read({ HOPCOUNT_VERSION: '2.0.0-rc.1+77' })).toBe('2.0.0-rc.1+77');
    expect(() => read({ HOPCOUNT_VERSION: 'a@b' })).toThrow('HOPCOUNT_VERSION');
    expect(() => read({ HOPCOUNT_VERSION: 'v'.repeat(25) })).toThrow('HOPCOUNT_VERSION');
  });
});
