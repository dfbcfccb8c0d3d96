import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';

import { env, parseConfig } from './config.js';

const schema = z.object({ PORT: env.port(8080), SECRET: env.secret(), CIDRS: env.list(), ON: env.flag(false) });
const SECRET = 'x'.repeat(32);

describe('settings', () => {
  it('have defaults, also for variables that are set to nothing', () => {
    expect(parseConfig(schema, { SECRET, PORT: '' })).toEqual({ PORT: 8080, SECRET, CIDRS: [], ON: false });
  });

  it('are typed', () => {
    const config = parseConfig(schema, { SECRET, PORT: '0', CIDRS: '10.0.0.0/8, ::1/128,', ON: '1' });
    expect(config).toEqual({ PORT: 0, SECRET, CIDRS: ['10.0.0.0/8', '::1/128'], ON: true });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it('name everything that is wrong at once', () => {
    const wrong = () => parseConfig(schema, { PORT: '99999', SECRET: 'short', ON: 'maybe' });
    expect(wrong).toThrow(/PORT[^]*SECRET: at least 32 characters[^]*ON/);
  });
});
