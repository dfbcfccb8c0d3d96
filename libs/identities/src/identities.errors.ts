/** Codes of the errors this library throws (as AppError), beside those of links (a domain that is none: `invalid-data`). */
export const IDENTITIES_ERRORS = {
  'api-key-not-found': 'No API key has that id or name, or it is revoked.',
  'api-key-conflict': 'Another API key has that name; details: name.',
  'too-many-api-keys': 'There are as many API keys as there may be.',
  'invalid-credentials': 'There is no such account, or the password is another one.',
  'sign-in-unavailable':
    'Redis is away, so that no attempt can be counted, or a process checks as many passwords as it does at once.',
  'no-provider': 'The settings name no OpenID Connect provider.',
  'provider-unavailable':
    'The OpenID Connect provider does not answer, or not as it should, also to wrong credentials of ours.',
  'provider-sign-in-failed':
    'The provider did not sign somebody in here, or what came back from it is not to be believed.',
  'not-admitted': 'The provider says who it is, and nobody here said that they may come in.',
  'second-factor-required': 'The password is right, and the account wants a code as well.',
  'too-many-codes': 'Too many codes of the second factor were wrong: recovery codes only, for an hour.',
  'second-factor-exists': 'The account has a second factor; it is removed before another one is set.',
  'invite-not-found': 'The link was used, has ended, or never was one.',
  'session-not-found': 'The user has no session with that id, or it has ended.',
  'share-link-ended':
    'No share link has that token: it has expired, was revoked, its maker may not see its view any more, or it never was one.',
  'share-link-not-found': 'The user has no share link with that id.',
  'too-many-share-links': 'A user has as many share links as one may have.',
  'user-not-found': 'No user has that id or email address.',
  'user-conflict':
    'There is an account with that email address, or any where the first one was to be made; or who asks may not any more.',
  'too-many-users': 'There are as many users, or open invites, as there may be.',
  'last-owner': 'Nobody would be left who can administer.',
} as const;

declare module '@hopcount/runtime' {
  interface ErrorCodes extends Record<keyof typeof IDENTITIES_ERRORS, string> {}
}
