import { parseConfig } from '@hopcount/runtime';
import { describe, expect, it } from '@jest/globals';

import { workerConfigSchema } from '../worker.config.js';

const URL = 'smtp://hop:p%40ss@mail.example.com:587';
const FROM = 'Hopcount <hopcount@example.com>';
const parse = (given: Record<string, string>) => parseConfig(workerConfigSchema, given);
const problemOf = (given: Record<string, string>) => {
  try {
    parse(given);
    return 'none';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('settings of the mail server', () => {
  it.each([
    [FROM, { name: 'Hopcount', address: 'hopcount@example.com' }],
    ['Short links, Ltd. <A@example.com>', { name: 'Short links, Ltd.', address: 'a@example.com' }],
    ['<a@example.com>', { name: '', address: 'a@example.com' }],
    ['a@example.com', { name: '', address: 'a@example.com' }],
  ])('take %s as the sender', (text, mailbox) => {
    expect(parse({ SMTP_URL: URL, SMTP_FROM: text }).smtpFrom).toEqual(mailbox);
  });

  it.each([
    'Hopcount',
    'a@example.com, b@example.com',
    'A\r\nBcc: b@x.com <a@example.com>',
    '"A" <a@example.com>',
    '<>',
  ])('refuse %j as the sender', (text) => {
    expect(problemOf({ SMTP_URL: URL, SMTP_FROM: text })).toContain('SMTP_FROM');
  });

  it.each([URL, 'smtps://mail.example.com', 'smtp://[::1]:25/', 'smtp://localhost'])('take %s as the server', (url) => {
    expect(parse({ SMTP_URL: url, SMTP_FROM: FROM }).smtpUrl).toBe(url);
  });

  it.each([
    ...[
      'http://mail.example.com',
      'mail.example.com:587',
      'smtp://',
      'smtp://mail.example.com/path',
      'smtp://h?pool=true',
    ],
    ...['smtp://hop@mail.example.com', 'smtp://hop:50%@mail.example.com'],
  ])('refuse %s as the server, without showing its password', (url) => {
    const problem = problemOf({ SMTP_URL: url, SMTP_FROM: FROM });
    expect([problem.includes('SMTP_URL'), problem.includes('50%')]).toEqual([true, false]);
  });

  it('go together', () => {
    expect(problemOf({ SMTP_URL: URL })).toContain('SMTP_FROM: needed with SMTP_URL');
    expect(problemOf({ SMTP_FROM: FROM })).toContain('SMTP_URL: needed with SMTP_FROM');
    expect(parse({})).toMatchObject({ smtpAllowPlain: false, smtpMailsPerDay: 1_000 });
  });
});
