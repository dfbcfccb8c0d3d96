import { describe, expect, it } from '@jest/globals';
import { parseConfig } from '@hopcount/runtime';

import { apiConfigSchema } from './api.config.js';

const SECRET = { HOPCOUNT_SECRET: 'x'.repeat(32) };
const parse = (environment: Record<string, string>) => parseConfig(apiConfigSchema, { ...SECRET, ...environment });

describe('the settings of the api', () => {
  it('have the defaults of the local stack', () => {
    expect(parse({})).toMatchObject({
      host: '127.0.0.1',
      apiPort: 8081,
      defaultDomain: 'localhost:8080',
      publicScheme: 'http',
      codeStrategy: 'random',
      allowPrivateTargets: false,
      reportingTimeZone: 'UTC',
      slots: 100,
      corsOrigins: ['*'],
      targetSchemes: ['http', 'https'],
      autoResolveTitles: false,
    });
  });

  it.each([
    ['HOPCOUNT_SECRET', 'short'],
    ['DEFAULT_DOMAIN', 'http://sho.rt/'],
    ['REPORTING_TIME_ZONE', 'Mars/Olympus'],
    ['CODE_STRATEGY', 'sequential'],
    ['SLOTS', '0'],
    ['ALLOW_PRIVATE_TARGETS', 'maybe'],
    ['PUBLIC_SCHEME', 'ftp'],
    ['TARGET_SCHEMES', 'https,javascript'],
    ['TARGET_SCHEMES', 'https,Data:'],
    ['TARGET_SCHEMES', 'https,,x'],
    ['TARGET_SCHEMES', 'https://'],
  ])('refuse %s=%s by name', (name, value) => {
    expect(() => parse({ [name]: value })).toThrow(new RegExp(name));
  });

  it.each<[string, Record<string, string>]>([
    ['OIDC_ISSUER', { OIDC_ISSUER: 'http://id.example.com' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: 'https://id.example.com/.well-known/openid-configuration' }],
    ['OIDC_CLIENT_ID', { OIDC_CLIENT_ID: '' }],
    ['OIDC_CLIENT_SECRET', { OIDC_CLIENT_SECRET: '' }],
    ['API_PUBLIC_URL', { API_PUBLIC_URL: '' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: '' }],
    ['OIDC_ROLE', { OIDC_DOMAINS: 'example.com' }],
    ['OIDC_DOMAINS', { OIDC_ROLE: 'viewer' }],
    ['OIDC_DOMAINS', { OIDC_DOMAINS: '*', OIDC_ROLE: 'viewer' }],
    ['OIDC_DOMAINS', { OIDC_DOMAINS: 'com', OIDC_ROLE: 'viewer' }],
    ['OIDC_ROLE', { OIDC_DOMAINS: 'example.com', OIDC_ROLE: 'owner' }],
  ])('refuse half of a provider, naming %s: %j', (name, given) => {
    const whole = {
      ...{ OIDC_ISSUER: 'https://id.example.com', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' },
      API_PUBLIC_URL: 'https://api.example.com/',
    };
    expect(parse(whole)).toMatchObject({ oidcDomains: [], apiPublicUrl: 'https://api.example.com' });
    expect(() => parse({ ...whole, ...given })).toThrow(new RegExp(`  ${name}`));
  });

  it('take schemes however they are written', () => {
    expect(parse({ TARGET_SCHEMES: 'HTTPS, mailto:' }).targetSchemes).toEqual(['https', 'mailto']);
  });

  it('take SLOTS=off and a list of origins', () => {
    expect(parse({ SLOTS: 'off', CORS_ORIGINS: 'http://a, http://b' })).toMatchObject({
      slots: 'off',
      corsOrigins: ['http://a', 'http://b'],
    });
  });
});
