import { describe, expect, it } from '@jest/globals';

import { createIdentifyDevice } from './identify-device.js';

const WEBKIT = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const IOS = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';

/** user agent → os, browser and its major version, device */
const AGENTS: [string, string, string, string | null, string][] = [
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`,
    'Windows',
    'Chrome',
    '131',
    'desktop',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.51`,
    'Windows',
    'Edge',
    '131',
    'desktop',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:132.0) Gecko/20100101 Firefox/132.0',
    'Windows',
    'Firefox',
    '132',
    'desktop',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${WEBKIT} Chrome/129.0.0.0 Safari/537.36 OPR/115.0.0.0`,
    'Windows',
    'Opera',
    '115',
    'desktop',
  ],
  ['Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko', 'Windows', 'IE', '11', 'desktop'],
  [
    `Mozilla/5.0 (Windows NT 6.3; Win64; x64) ${WEBKIT} Chrome/109.0.0.0 Safari/537.36`,
    'Windows',
    'Chrome',
    '109',
    'desktop',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${IOS} Version/18.1 Safari/605.1.15`,
    'macOS',
    'Safari',
    '18',
    'desktop',
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`,
    'macOS',
    'Chrome',
    '131',
    'desktop',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0',
    'macOS',
    'Firefox',
    '132',
    'desktop',
  ],
  [`Mozilla/5.0 (X11; Linux x86_64) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`, 'Linux', 'Chrome', '131', 'desktop'],
  [
    'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0',
    'Ubuntu',
    'Firefox',
    '132',
    'desktop',
  ],
  [
    'Mozilla/5.0 (X11; Fedora; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
    'Fedora',
    'Firefox',
    '130',
    'desktop',
  ],
  ['Mozilla/5.0 (X11; FreeBSD amd64; rv:124.0) Gecko/20100101 Firefox/124.0', 'FreeBSD', 'Firefox', '124', 'desktop'],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${WEBKIT} Chrome/130.0.0.0 Safari/537.36`,
    'ChromeOS',
    'Chrome',
    '130',
    'desktop',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${IOS} Version/17.5 Mobile/15E148 Safari/604.1`,
    'iOS',
    'Mobile Safari',
    '17',
    'mobile',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) ${IOS} CriOS/131.0.6778.73 Mobile/15E148 Safari/604.1`,
    'iOS',
    'Chrome',
    '131',
    'mobile',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6 like Mac OS X) ${IOS} FxiOS/132.0 Mobile/15E148 Safari/605.1.15`,
    'iOS',
    'Firefox',
    '132',
    'mobile',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) ${IOS} Mobile/21G93 [FBAN/FBIOS;FBAV/490.0.0.41.106;FBBV/665337277;FBDV/iPhone14,5;FBMD/iPhone]`,
    'iOS',
    'Facebook',
    '490',
    'mobile',
  ],
  [
    `Mozilla/5.0 (iPhone; CPU iPhone OS 17_6_1 like Mac OS X) ${IOS} Mobile/15E148 Instagram 358.0.0.29.97`,
    'iOS',
    'Instagram',
    '358',
    'mobile',
  ],
  [
    `Mozilla/5.0 (iPod touch; CPU iPhone OS 12_5 like Mac OS X) ${IOS} Version/12.1.2 Mobile/15E148 Safari/604.1`,
    'iOS',
    'Mobile Safari',
    '12',
    'mobile',
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 12_5_7 like Mac OS X) ${IOS} Version/12.1.2 Mobile/15E148 Safari/604.1`,
    'iOS',
    'Mobile Safari',
    '12',
    'tablet',
  ],
  [
    `Mozilla/5.0 (iPad; CPU OS 16_7 like Mac OS X) ${IOS} CriOS/119.0.6045.169 Mobile/15E148 Safari/604.1`,
    'iOS',
    'Chrome',
    '119',
    'tablet',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S918B) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`,
    'Android',
    'Chrome',
    '131',
    'mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/131.0.0.0 Mobile Safari/537.36`,
    'Android',
    'Chrome',
    '131',
    'mobile',
  ],
  [`Mozilla/5.0 (Linux; Android 10; K) ${WEBKIT} Chrome/131.0.0.0 Safari/537.36`, 'Android', 'Chrome', '131', 'tablet'],
  [
    `Mozilla/5.0 (Linux; Android 14; Pixel 8 Pro) ${WEBKIT} Chrome/130.0.6723.102 Mobile Safari/537.36`,
    'Android',
    'Chrome',
    '130',
    'mobile',
  ],
  ['Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0', 'Android', 'Firefox', '132', 'mobile'],
  ['Mozilla/5.0 (Android 13; Tablet; rv:130.0) Gecko/130.0 Firefox/130.0', 'Android', 'Firefox', '130', 'tablet'],
  [
    `Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-A536B) ${WEBKIT} SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36`,
    'Android',
    'Samsung Internet',
    '26',
    'mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 12; SM-X906C) ${WEBKIT} Chrome/124.0.0.0 Safari/537.36`,
    'Android',
    'Chrome',
    '124',
    'tablet',
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; 2201117TY) ${WEBKIT} Version/4.0 Chrome/112.0.5615.136 Mobile Safari/537.36 XiaoMi/MiuiBrowser/14.12.1`,
    'Android',
    'MIUI Browser',
    '14',
    'mobile',
  ],
  [
    `Mozilla/5.0 (Linux; U; Android 12; en-US; RMX3393) ${WEBKIT} Version/4.0 Chrome/100.0.4896.58 UCBrowser/15.5.8.1315 Mobile Safari/537.36`,
    'Android',
    'UCBrowser',
    '15',
    'mobile',
  ],
  [
    `Mozilla/5.0 (Linux; Android 11; KFTRWI) ${WEBKIT} Silk/120.4.1 like Chrome/120.0.6099.230 Safari/537.36`,
    'Android',
    'Silk',
    '120',
    'tablet',
  ],
  [
    'Opera/9.80 (J2ME/MIDP; Opera Mini/7.1.32052/29.3709; U; en) Presto/2.8.119 Version/11.10',
    'unknown',
    'Opera Mini',
    '7',
    'mobile',
  ],
  [
    'Mozilla/5.0 (Mobile; Nokia_8110_4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
    'KaiOS',
    'Firefox',
    '48',
    'mobile',
  ],
  [
    'Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 Edge/15.15254',
    'Windows Phone',
    'Edge',
    '15',
    'mobile',
  ],
  [
    `Mozilla/5.0 (SMART-TV; LINUX; Tizen 6.0) ${WEBKIT} 76.0.3809.146/6.0 TV Safari/537.36`,
    'Tizen',
    'Safari',
    null,
    'tv',
  ],
  [
    `Mozilla/5.0 (Web0S; Linux/SmartTV) ${WEBKIT} Chrome/94.0.4606.128 Safari/537.36 WebAppManager`,
    'webOS',
    'Chrome',
    '94',
    'tv',
  ],
  [
    `Mozilla/5.0 (Linux; Android 9; AFTKA) ${WEBKIT} Silk/118.3.2 like Chrome/118.0.5993.155 Safari/537.36`,
    'Android',
    'Silk',
    '118',
    'tv',
  ],
  [
    `Mozilla/5.0 (PlayStation; PlayStation 5/6.50) ${IOS} Version/13.0 Safari/605.1.15`,
    'PlayStation',
    'Safari',
    '13',
    'console',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox One) ${WEBKIT} Chrome/90.0.4430.212 Safari/537.36 Edge/44.18363.8131`,
    'Xbox',
    'Edge',
    '44',
    'console',
  ],
  [
    `Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/609.4 (KHTML, like Gecko) NF/6.0.2.21.3 NintendoBrowser/5.1.0.22474`,
    'Nintendo',
    'WebKit',
    '609',
    'console',
  ],
  [
    `Mozilla/5.0 (Linux; Android 12; Quest 3) ${WEBKIT} OculusBrowser/30.0.0.10.59 Chrome/120.0.6099.230 VR Safari/537.36`,
    'Android',
    'Oculus Browser',
    '30',
    'wearable',
  ],
  ['curl/8.4.0', 'unknown', 'unknown', null, 'unknown'],
  ['', 'unknown', 'unknown', null, 'unknown'],
  ['\u0001\u0002 ??? \ufffd', 'unknown', 'unknown', null, 'unknown'],
];

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
    for (const value of Object.values(identifyDevice({ userAgent, clientHints }))) {
      expect((value ?? '').length).toBeLessThanOrEqual(64);
    }
  });
});
