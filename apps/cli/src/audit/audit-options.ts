import { AUDIT_ACTOR_KINDS, AUDIT_KINDS, type AuditActorKind, type AuditKind } from '@hopcount/contracts';
import type { AuditQuery } from '@hopcount/identities';
import { type Command, Option } from 'commander';

import { addTimeRange, boundsOf, type TimeRange } from '../replay/time-range.js';

export interface AuditOptions extends TimeRange {
  actorKind?: AuditActorKind;
  actor?: string;
  kind?: AuditKind;
  object?: string;
  after?: string;
}

export function addAuditOptions(command: Command): Command {
  return addTimeRange(command)
    .addOption(new Option('--actor-kind <kind>', 'only changes by these').choices(AUDIT_ACTOR_KINDS))
    .option('--actor <name>', 'only changes by this key, user or operator')
    .addOption(new Option('--kind <kind>', 'only changes of these').choices(AUDIT_KINDS))
    .option('--object <name>', 'only changes of this thing (of a link domain/code)')
    .option('--after <id>', 'goes on behind this entry');
}

export async function toAuditQuery(options: AuditOptions): Promise<AuditQuery> {
  const { actorKind = null, actor = null, kind = null, object = null, after = null } = options;
  const { from, to } = await boundsOf(options);
  return { actorKind, actor, kind, object, from, to, after };
}
