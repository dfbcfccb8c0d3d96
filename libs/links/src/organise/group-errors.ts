import { AppError } from '@hopcount/runtime';

import { normalizeGroupName } from '../store/link-fields.js';
import type { GroupRecord } from './link-groups.js';

export function groupNotFound(groupId: string): AppError {
  return new AppError('group-not-found', `There is no group "${groupId}".`, { details: { groupId } });
}

export function groupConflict(groupId: string): AppError {
  return new AppError('group-conflict', `There is a group "${groupId}" already.`, { details: { groupId } });
}

export function groupNotEmpty({ id: groupId, ...counts }: GroupRecord): AppError {
  const message = `The group "${groupId}" has short URLs, deleted ones included. Say with moveTo which group gets them.`;
  return new AppError('group-not-empty', message, { details: { groupId, ...countsOf(counts) } });
}

export function groupHasRoles(groupId: string, users: number): AppError {
  const whose = users === 1 ? 'One user has a role' : `${users} users have roles`;
  const message = `${whose} in the group "${groupId}". They would lose it: only who administers deletes such a group.`;
  return new AppError('group-has-roles', message, { details: { groupId, usersCount: users } });
}

export function moveUnfinished({ id: groupId, ...counts }: GroupRecord): AppError {
  const message = `The group "${groupId}" has short URLs left that are not moved yet. Send the request again: it goes on.`;
  return new AppError('group-move-unfinished', message, { retryable: true, details: { groupId, ...countsOf(counts) } });
}

function countsOf({ links, deletedLinks }: Pick<GroupRecord, 'links' | 'deletedLinks'>) {
  return { shortUrlsCount: links, deletedShortUrlsCount: deletedLinks };
}

/** @throws AppError `invalid-data` */
export function groupName(given: string): string {
  const name = normalizeGroupName(given);
  if (name !== null) return name;
  throw new AppError('invalid-data', 'A group has a name.', { details: { invalidElements: ['name'] } });
}
