import { AppError } from '@hopcount/runtime';

/** What a token endpoint may say of an attempt; anything else it says is about us, or about itself. */
const OF_THE_ATTEMPT = new Set(['invalid_grant', 'access_denied']);
/** Of openid-client: no answer, or none that could be looked at. */
const NO_ANSWER = new Set([
  ...['OAUTH_TIMEOUT', 'OAUTH_ABORT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON'],
  ...['OAUTH_HTTP_REQUEST_FORBIDDEN', 'OAUTH_REQUEST_PROTOCOL_FORBIDDEN', 'OAUTH_MISSING_SERVER_METADATA'],
]);

interface Failure {
  name?: unknown;
  code?: unknown;
  /** What the provider said, of RFC 6749. */
  error?: unknown;
  message?: unknown;
}

/** @returns what somebody who comes back from the provider is told */
export function failureOfAttempt(failure: unknown): AppError {
  const { name, code, error } = (failure ?? {}) as Failure;
  if (name === 'AuthorizationResponseError' || OF_THE_ATTEMPT.has(String(error))) {
    const said = typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? ` (${error})` : '';
    return failed(`The provider did not sign you in${said}. Sign in again.`);
  }
  if (name === 'ClientError' && !NO_ANSWER.has(String(code))) {
    return failed('What came back from the provider is not to be believed, or was used before. Sign in again.');
  }
  return unavailable();
}

export function unavailable(): AppError {
  const message = 'The provider does not answer as it should right now. Try again, or sign in with a password.';
  return new AppError('provider-unavailable', message, { retryable: true });
}

/** For the log: codes and names. What else is in such an error may be a token, or what is said of a person. */
export function reasonOf(failure: unknown): string {
  const { name, code, error, message } = (failure ?? {}) as Failure;
  const isOurFault = name === 'WWWAuthenticateChallengeError' || error === 'invalid_client';
  const hint = isOurFault ? '(OIDC_CLIENT_ID or OIDC_CLIENT_SECRET is refused)' : undefined;
  return [name, code, error, name === 'TypeError' ? message : undefined, hint].filter(isShort).join(' ');
}

function failed(message: string): AppError {
  return new AppError('provider-sign-in-failed', message);
}

function isShort(text: unknown): text is string {
  return typeof text === 'string' && /^[\x20-\x7e]{1,100}$/.test(text);
}
