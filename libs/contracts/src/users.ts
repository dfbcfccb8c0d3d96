import { z } from 'zod';

import { pageOf } from './short-url.js';

/** From what may do least: viewers read, members also create and edit, owners also purge visits (of everything: also administer). */
export const USER_ROLES = ['viewer', 'member', 'owner'] as const;
export type UserRole = (typeof USER_ROLES)[number];

const instant = z.string().meta({ format: 'date-time', description: 'Whole seconds, `+00:00`.' });
const role = z.enum(USER_ROLES);

/** Somebody who signs in. */
export const userSchema = z
  .strictObject({
    id: z.int(),
    email: z.string().meta({ description: 'What they sign in with, in lower case.', examples: ['ada@example.com'] }),
    name: z.string().meta({ examples: ['Ada'] }),
    role: role.nullable().meta({ description: 'Of everything; null: only of groups.' }),
    groups: z.record(z.string(), role).meta({ description: 'Role of each group by its id.' }),
    enabled: z.boolean(),
    hasProvider: z.boolean().meta({ description: 'Whether an account at an OpenID Connect provider is bound.' }),
    secondFactor: z.boolean().meta({ description: 'Whether signing in takes a code, too.' }),
    dateCreated: instant,
    dateLastSignIn: instant.nullable(),
  })
  .meta({ id: 'User' });

export const userListSchema = z.strictObject({ users: pageOf(userSchema) }).meta({ id: 'UserList' });

/** A link that is used once; its token is not kept, and never shown again. */
export const inviteSchema = z
  .strictObject({
    link: z.url().meta({ description: 'A page of this API; what is behind the `#` is the token.' }),
    token: z.string(),
    dateExpires: instant,
  })
  .meta({ id: 'Invite' });

/** One that can still be used. */
const openInviteSchema = z
  .strictObject({
    id: z.int(),
    email: z.string().nullable().meta({ description: 'Whose password it is about; null: it makes an account.' }),
    role: role.nullable(),
    groups: z.record(z.string(), role),
    onlyFirst: z.boolean().meta({ description: 'Worth nothing once there is an account.' }),
    createdBy: z
      .strictObject({ kind: z.enum(['user', 'api-key']), id: z.int(), name: z.string() })
      .nullable()
      .meta({ description: 'null: a command.' }),
    dateCreated: instant,
    dateExpires: instant,
  })
  .meta({ id: 'OpenInvite' });

export const inviteListSchema = z.strictObject({ invites: pageOf(openInviteSchema) }).meta({ id: 'InviteList' });

/** For an app that makes one-time codes; shown this once. */
export const secondFactorSchema = z
  .strictObject({
    secret: z.string().meta({ description: 'Base32.' }),
    uri: z.string().meta({ description: 'The same for a QR code: `otpauth://totp/…`.' }),
    qrCode: z.string().meta({ description: 'That code, to be shown: an SVG as a `data:` address.' }),
  })
  .meta({ id: 'SecondFactor' });

export const recoveryCodesSchema = z
  .strictObject({
    recoveryCodes: z.array(z.string()).meta({ description: 'Each is taken once; not kept, and never shown again.' }),
  })
  .meta({ id: 'RecoveryCodes' });

export const sessionListSchema = z
  .strictObject({
    sessions: z.strictObject({
      data: z.array(
        z
          .strictObject({
            id: z.string().meta({ examples: ['9f86d081884c7d65'] }),
            isThis: z.boolean().meta({ description: 'Whether it is the one that asks.' }),
            dateCreated: instant,
            dateLastUsed: instant.meta({ description: 'To the minute.' }),
            dateExpires: instant.meta({ description: 'Unless it is used before.' }),
            browser: z.string().meta({
              description: 'As its user agent said when it began, as `os` and `device`; `unknown` where none is known.',
              examples: ['Firefox'],
            }),
            os: z.string().meta({ examples: ['Linux'] }),
            device: z.string().meta({ examples: ['desktop'] }),
          })
          .meta({ id: 'Session' }),
      ),
    }),
  })
  .meta({ id: 'SessionList' });

export type SessionList = z.infer<typeof sessionListSchema>;
export type SecondFactor = z.infer<typeof secondFactorSchema>;
export type RecoveryCodes = z.infer<typeof recoveryCodesSchema>;
export type User = z.infer<typeof userSchema>;
export type UserList = z.infer<typeof userListSchema>;
export type Invite = z.infer<typeof inviteSchema>;
export type OpenInvite = z.infer<typeof openInviteSchema>;
export type InviteList = z.infer<typeof inviteListSchema>;
