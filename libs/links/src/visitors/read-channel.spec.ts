import { describe, expect, it } from '@jest/globals';

import { createReadReferrerHost } from './describe-origin.js';
import { createReadChannel } from './read-channel.js';

const readChannel = createReadChannel();
const readReferrerHost = createReadReferrerHost();
const NO_UTM = { source: null, medium: null };

function channelOf(referrer: string | null, more: Partial<Parameters<typeof readChannel>[0]> = {}) {
  const referrerHost = readReferrerHost(referrer);
  return readChannel({
    referrer,
    referrerHost,
    utm: null,
    destination: 'https://shop.example/',
    domain: 's.test',
    ...more,
  });
}

describe('the channel of a visit', () => {
  it.each([
    [null, 'direct'],
    ['https://www.google.com/', 'search'],
    ['https://www.google.de/search?q=x', 'search'],
    ['https://duckduckgo.com/', 'search'],
    ['https://mail.google.com/mail/u/0/', 'mail'],
    ['https://support.google.com/x', 'other'],
    ['https://t.co/abc', 'social'],
    // Begins like t.co.
    ['https://t.company.example/', 'other'],
    ['https://m.facebook.com/', 'social'],
    ['android-app://com.linkedin.android/', 'social'],
    ['https://ad.doubleclick.net/x', 'paid'],
    ['https://shop.example/cart', 'internal'],
    ['https://www.shop.example/cart', 'internal'],
    ['https://s.test/other', 'internal'],
    ['https://blog.example/', 'other'],
    ['not an address', 'other'],
    ['https://blog.example/?x=1&gclid=abc', 'paid'],
  ] as const)('from %s: %s', (referrer, channel) => {
    expect(channelOf(referrer)).toBe(channel);
  });

  it.each([
    [{ source: 'google', medium: 'CPC' }, 'paid'],
    [{ source: 'facebook', medium: 'paid_social' }, 'paid'],
    [{ source: 'x', medium: 'email' }, 'mail'],
    [{ source: 'spring', medium: 'Newsletter' }, 'mail'],
    [{ source: 'x', medium: 'social' }, 'social'],
    [{ source: 'Facebook', medium: null }, 'social'],
    [{ source: 'google', medium: 'unheard-of' }, 'search'],
    [{ source: 'nobody', medium: 'unheard-of' }, 'direct'],
    [NO_UTM, 'direct'],
  ] as const)('of the campaign %j, before all else: %s', (utm, channel) => {
    expect(channelOf(null, { utm })).toBe(channel);
  });

  it('is paid, or social, where an address has a click id that is not empty', () => {
    expect(channelOf('https://www.google.com/', { destination: 'https://shop.example/?a=1&gclid=x' })).toBe('paid');
    expect(channelOf(null, { destination: 'https://shop.example/?fbclid=x' })).toBe('social');
    expect(channelOf(null, { destination: 'https://shop.example/?gclid=&notgclid=x' })).toBe('direct');
    expect(channelOf('https://a.example/', { destination: null })).toBe('other');
    expect(channelOf('https://a.example/', { destination: 'app:open' })).toBe('other');
  });
});
