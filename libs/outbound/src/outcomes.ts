import { AppError } from '@hopcount/runtime';

const REFUSED = {
  scheme: 'Only http and https addresses are asked.',
  userinfo: 'An address with a user name or password is not asked.',
  port: 'Only the ports 80 and 443 are asked.',
  'private-address': 'The address is not on the public internet.',
  'private-name': 'The name of the host is not one of the public internet: it is reserved, or of an internal network.',
  'unknown-host': 'The host name of the URL has no address in the DNS.',
  redirects: 'The address leads to others again and again.',
  encoding: 'The answer is compressed in a way that is not known.',
} as const;

const FAILED = {
  timeout: 'The answer took too long.',
  dns: 'The DNS did not answer.',
  connection: 'The connection failed, or the answer broke off.',
  'mail-connection':
    'The connection to the mail server failed: it did not answer, offers no TLS, or its certificate is not trusted.',
  'mail-turn': 'Many mails wait for the mail server.',
} as const;

export function refused(reason: keyof typeof REFUSED): AppError {
  return new AppError('outbound-refused', REFUSED[reason], { details: { reason } });
}

export function failed(reason: keyof typeof FAILED, cause?: unknown): AppError {
  return new AppError('outbound-failed', FAILED[reason], { cause, retryable: true, details: { reason } });
}
