import { describe, expect, it } from '@jest/globals';

import { createIdentifyDevice } from './identify-device.js';
import { AGENTS } from './user-agents.spec-helpers.js';

describe('identifyDevice', () => {
  const identifyDevice = createIdentifyDevice();

  it.each(AGENTS)('%s', (userAgent, os, browser, browserVersion, device) => {
    expect(identifyDevice({ userAgent, clientHints: null })).toMatchObject({ os, browser, browserVersion, device });
    // From the cache as well.
    expect(identifyDevice({ userAgent, clientHints: null })).toMatchObject({ os, device });
  });

  it('says which version of the system', () => {
    const version = (userAgent: string) => identifyDevice({ userAgent, clientHints: null }).osVersion;
    expect(version(AGENTS[14]![0])).toBe('17.5');
    expect(version(AGENTS[22]![0])).toBe('14');
    expect(version(AGENTS[0]![0])).toBe('10');
    expect(version('curl/8.4.0')).toBeNull();
  });

  it.each([
    ['Android; Opera Mini/36.2.2254/191.249', 'mobile'],
    ['Android 4.0.4; Linux; Opera Mobi/ADR-1301080958', 'mobile'],
    ['Android 3.2; Linux; Opera Tablet/ADR-1301080958', 'tablet'],
  ])('knows what Opera on Android runs on, without the word Mobile: %s', (system, device) => {
    const userAgent = `Opera/9.80 (${system}; U; en) Presto/2.12.423 Version/12.16`;
    expect(identifyDevice({ userAgent, clientHints: null })).toMatchObject({ os: 'Android', device });
  });

  const mac = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';

  it.each([
    ['CriOS/131.0.6778.73 Version/11.1.1 Safari/605.1.15', 'Chrome'],
    ['Version/17.0 EdgiOS/131.0.2903.48 Safari/605.1.15', 'Edge'],
    ['FxiOS/132.0 Safari/605.1.15', 'Firefox'],
    ['OPT/4.4 Safari/604.1', 'Opera Touch'],
    ['GSA/300.0.5 Version/17.0 Safari/605.1.15', 'GSA'],
    ['Mobile/15E148 DuckDuckGo/7', 'DuckDuckGo'],
    ['Mobile/15E148 [FBAN/FBIOS;FBDV/iPad13,1]', 'Facebook'],
  ])('knows an iPad that asks as a Mac: %s', (products, browser) => {
    const facts = identifyDevice({ userAgent: `${mac} ${products}`, clientHints: null });
    // The version is that of a Mac.
    expect(facts).toMatchObject({ os: 'iOS', osVersion: null, device: 'tablet', browser });
  });

  it.each(['Version/18.0 Safari/605.1.15', 'Version/18.0 Safari/605.1.15 Ddg/18.0', 'Mailspring/1.7'])(
    'leaves Macs alone: %s',
    (products) => {
      const facts = identifyDevice({ userAgent: `${mac} ${products}`, clientHints: null });
      expect(facts).toMatchObject({ os: 'macOS', osVersion: '10.15.7', device: 'desktop' });
    },
  );

  it('fills gaps from client hints', () => {
    const brands = '"Chromium";v="131", "Google Chrome";v="131", "Not_A Brand";v="24"';
    const hints = (platform: string | null, mobile: string | null) => ({ brands, platform, mobile });
    const silent = (platform: string | null, mobile: string | null) =>
      identifyDevice({ userAgent: 'Mozilla/5.0', clientHints: hints(platform, mobile) });
    expect(silent('"Windows"', '?0')).toEqual({
      os: 'Windows',
      osVersion: null,
      browser: 'Chrome',
      browserVersion: '131',
      device: 'desktop',
    });
    expect(silent('"Android"', '?1')).toMatchObject({ os: 'Android', device: 'mobile' });
    expect(silent('"Android"', '?0')).toMatchObject({ os: 'Android', device: 'tablet' });
    expect(silent('"Chrome OS"', '?0')).toMatchObject({ os: 'ChromeOS', device: 'desktop' });
    expect(silent('"Unknown"', null)).toMatchObject({ os: 'unknown', device: 'unknown' });
    const empty = { brands: null, platform: null, mobile: null };
    expect(identifyDevice({ userAgent: null, clientHints: empty })).toMatchObject({ browser: 'unknown' });
  });

  it('lets the user agent win where it speaks', () => {
    const [userAgent] = AGENTS[14]!;
    const clientHints = { brands: '"Opera";v="1"', platform: '"Windows"', mobile: '?0' };
    expect(identifyDevice({ userAgent, clientHints })).toMatchObject({ os: 'iOS', device: 'mobile' });
  });

  it('keeps every text short, whatever it is given', () => {
    const userAgent = `${'x'.repeat(400)}/1${'2'.repeat(200)} (X11; ${'y'.repeat(300)})`;
    const clientHints = { brands: `"${'b'.repeat(240)}";v="1"`, platform: `"${'p'.repeat(240)}"`, mobile: null };
    const { os, osVersion, browser, browserVersion } = identifyDevice({ userAgent, clientHints });
    for (const value of [os, osVersion, browser, browserVersion]) {
      expect((value ?? '').length).toBeLessThanOrEqual(64);
    }
  });

  it.each(['constructor', '__proto__', 'toString', 'hasOwnProperty'])('takes %s for a name', (word) => {
    const clientHints = { brands: `"${word}";v="1"`, platform: `"${word}"`, mobile: null };
    const { os, browser } = identifyDevice({ userAgent: 'x', clientHints });
    expect([os, browser]).toEqual([word, word]);
  });

  it('knows the browser of Naver, and wastes no time on what only begins like it', () => {
    const naver =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) Mobile/15E148 NAVER(inapp; search; 2000; 12.9.4; 15PRO)';
    expect(identifyDevice({ userAgent: naver, clientHints: null })).toMatchObject({ browserVersion: '12' });
    const steps = ['naver('.repeat(20) + '1.'.repeat(185), `naver()${'naver('.repeat(20)}${'1.'.repeat(180)}`];
    for (const start of steps) {
      // Each takes 0.1 s or more if it is looked through.
      for (let n = 0; n < 500; n += 1) {
        const facts = identifyDevice({ userAgent: `${start}${n}`.slice(0, 500), clientHints: null });
        expect(facts.browser).not.toBe('Naver');
      }
    }
  });
});
