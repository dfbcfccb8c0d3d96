import { describe, expect, it } from '@jest/globals';

import { subjectOf, toChange, toLink, toNewAlert } from './alert-form.js';
import type { Alert } from './alerts.js';

const filled = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};
const NUMBERS = { windowMinutes: '60', threshold: '50', factor: '2.5' };

describe('the form of an alert', () => {
  it('makes an alert on what was chosen, in the zone of the page', () => {
    const form = filled({ name: ' Quiet ', subject: 'tag', value: 'sale', kind: 'drop', channel: 'email', ...NUMBERS });
    form.set('email', '');
    expect(toNewAlert(form, 'Asia/Kathmandu')).toEqual({
      ...{ name: 'Quiet', tag: 'sale', kind: 'drop', channel: 'email', timeZone: 'Asia/Kathmandu' },
      ...{ windowMinutes: 60, threshold: 50, factor: 2.5 },
    });
  });

  it('names no factor, URL or thing to watch where there is none', () => {
    const form = filled({
      name: 'a',
      subject: 'all',
      kind: 'below',
      channel: 'slack',
      url: 'https://x.test/',
      ...NUMBERS,
    });
    expect(toNewAlert(form, 'UTC')).toEqual({
      ...{ name: 'a', kind: 'below', channel: 'slack', timeZone: 'UTC', windowMinutes: 60, threshold: 50 },
      url: 'https://x.test/',
    });
  });

  it('changes what can be changed', () => {
    const alert = { kind: 'above', channel: 'email' } as Alert;
    expect(toChange(filled({ name: 'b', email: 'a@x.test', ...NUMBERS }), alert)).toEqual({
      ...{ name: 'b', windowMinutes: 60, threshold: 50, email: 'a@x.test' },
    });
  });

  it.each([
    ['sale', { shortCode: 'sale' }],
    ['https://go.example.com/sale', { shortCode: 'sale', domain: 'go.example.com' }],
    ['http://go.example.com:8080/caf%C3%A9/x?a=b', { shortCode: 'café/x', domain: 'go.example.com:8080' }],
    ['https://go.example.com/50%', { shortCode: '50%', domain: 'go.example.com' }],
    ['https://go.example.com/', { shortCode: 'https://go.example.com/' }],
  ])('reads %s as a short URL', (text, link) => {
    expect(toLink(text)).toEqual(link);
  });

  it('tells what an alert watches', () => {
    const nothing = { shortCode: null, tag: null, group: null, domain: null, host: null } as Alert;
    expect(subjectOf(nothing)).toBe('all');
    expect(subjectOf({ ...nothing, domain: 'a.test', shortCode: 'x' })).toBe('link');
    expect(subjectOf({ ...nothing, domain: 'a.test' })).toBe('domain');
    expect(subjectOf({ ...nothing, host: 'a.test' })).toBe('host');
  });
});
