import { USER_ROLES, userSchema } from '@hopcount/contracts';
import { AppError } from '@hopcount/runtime';
import { z } from 'zod';

import { queryItemsPerPage, queryPage } from '../http/input.js';
import { sentBack } from '../http/sent-back.js';

const role = z.enum(USER_ROLES);
const roles = {
  role: role
    .nullish()
    .meta({ description: 'Of everything. `viewer` reads, `member` also creates and edits, `owner` administers.' }),
  groups: z
    .record(z.string().max(256), role)
    .optional()
    .meta({
      description: 'Role of each of some groups (100 at most): there an `owner` also purges visits.',
      example: { spring: 'member' },
    }),
};

export const listUsersQuery = z.strictObject({
  page: queryPage.meta({ description: 'From 1.' }),
  itemsPerPage: queryItemsPerPage.meta({ description: 'Default, and below 1: all, at most 5,000.' }),
});

export const inviteRequest = z.strictObject({
  ...roles,
  onlyFirst: z
    .boolean()
    .optional()
    .meta({ description: 'Of the first owner: worth nothing once there is an account.' }),
});

export const userEdits = {
  enabled: z.boolean().optional().meta({ description: 'A disabled user is signed out, and cannot sign in.' }),
  ...roles,
};
export const editUserRequest = z.strictObject({ ...sentBack(userSchema, userEdits), ...userEdits });

export const acceptInviteRequest = z.strictObject({
  token: z.string().max(256),
  email: z.string().max(1_024).optional().meta({ description: 'Of a new account.', example: 'ada@example.com' }),
  name: z.string().max(1_024).optional().meta({ description: 'Of a new account.', example: 'Ada' }),
  password: z.string().max(1_024).meta({ description: '12 to 256 characters.' }),
});

/** @throws AppError `user-not-found` */
export function parseUserId(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new AppError('user-not-found', `There is no user "${text.slice(0, 32)}".`);
}
