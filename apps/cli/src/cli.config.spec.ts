import { dirname } from 'node:path';

import { describe, expect, it } from '@jest/globals';

import { parseCliConfig } from './cli.config.js';
import { NO_STACK } from './cli.spec-helpers.js';

describe('the settings of a command', () => {
  it('are not those of a stack that runs in this checkout while tests run', () => {
    expect(dirname(parseCliConfig(process.env).secretsFile)).toBe(NO_STACK);
  });
});
