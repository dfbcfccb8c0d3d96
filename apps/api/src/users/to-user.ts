import type { User } from '@hopcount/contracts';
import type { UserRecord } from '@hopcount/identities';

import { formatDate } from '../http/dates.js';

export function toUser({
  id,
  email,
  name,
  role,
  groups,
  enabled,
  hasProvider,
  secondFactor,
  createdAt,
  lastSignInAt,
}: UserRecord): User {
  return {
    ...{ id, email, name, role, groups: { ...groups }, enabled, hasProvider, secondFactor },
    dateCreated: formatDate(createdAt),
    dateLastSignIn: lastSignInAt && formatDate(lastSignInAt),
  };
}
