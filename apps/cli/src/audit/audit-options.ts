import { AUDIT_ACTOR_KINDS, AUDIT_KINDS, type AuditActorKind, type AuditKind } from '@hopcount/contracts';
import type { AuditQuery } from '@hopcount/identities';
import { type Command, Option } from 'commander';

import { expectOrder, parseInstant } from '../replay/time-range.js';

export interface AuditOptions {
  actorKind?: AuditActorKind;
  actor?: string;
  kind?: AuditKind;
  object?: string;
  from?: number;
  to?: number;
  after?: string;
}

export function addAuditOptions(command: Command): Command {
  return command
    .addOption(new Option('--actor-kind <kind>', 'only changes by these').choices(AUDIT_ACTOR_KINDS))
    .option('--actor <name>', 'only changes by this key, user or operator')
    .addOption(new Option('--kind <kind>', 'only changes of these').choices(AUDIT_KINDS))
    .option('--object <name>', 'only changes of this thing (of a link domain/code)')
    .option('--from <instant>', 'at or after', parseInstant)
    .option('--to <instant>', 'before', parseInstant)
    .option('--after <id>', 'goes on behind this entry');
}

export function toAuditQuery(options: AuditOptions): AuditQuery {
  const { actorKind = null, actor = null, kind = null, object = null, from, to, after = null } = options;
  expectOrder({ from, to });
  return { actorKind, actor, kind, object, from, to, after };
}
