import type { Queryable } from '@hopcount/postgres';
import { availabilityOf, type RedisClient } from '@hopcount/redis';

import { LIMIT_NAMES, type LimitName } from './limit-settings.js';

export const LIMITS_CHANGED = 'hc:limit-changes';

const LIST = 'SELECT name, value, changed_at AS "changedAt" FROM settings WHERE name = ANY ($1::text[]) ORDER BY name';
const SET = `INSERT INTO settings (name, value) VALUES ($1, $2)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value, changed_at = now()`;
const UNSET = 'DELETE FROM settings WHERE name = $1';

export interface StoredLimit {
  name: LimitName;
  value: string;
  changedAt: Date;
}

/** Limits that hold instead of those of the environment. Processes follow (FollowedLimits). */
export class StoredLimits {
  constructor(private readonly database: Pick<Queryable, 'query'>) {}

  list(names: readonly LimitName[] = LIMIT_NAMES): Promise<StoredLimit[]> {
    return this.database.query<StoredLimit>(LIST, [names]);
  }

  /** @param value one without `limitFault`; null: that of the environment holds again */
  async set(name: LimitName, value: string | null): Promise<void> {
    if (value === null) await this.database.query(UNSET, [name]);
    else await this.database.query(SET, [name, value]);
  }
}

/** Tells every process to look now. False when Redis did not take it: each looks within a minute. */
export async function announceLimits(redis: RedisClient): Promise<boolean> {
  const receivers = await availabilityOf(redis).ask('limits-publish', () => redis.publish(LIMITS_CHANGED, ''));
  return receivers !== undefined;
}
