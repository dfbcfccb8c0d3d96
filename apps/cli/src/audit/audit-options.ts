import type { AuditActorKind, AuditKind } from '@hopcount/contracts';
import type { AuditQuery } from '@hopcount/identities';
import { type Command, Option } from 'commander';

import { parseInstant } from '../replay/time-range.js';

/** Lists, so that --help needs no other library; a spec holds them against those of contracts. */
export const ACTOR_KINDS: readonly AuditActorKind[] = ['api-key', 'user', 'cli', 'system'];
export const AUDITED_KINDS: readonly AuditKind[] = [
  ...(['link', 'tag', 'group', 'domain', 'api-key', 'block', 'import'] as const),
  ...([
    'user',
    'group-role',
    'provider-identity',
    'invite',
    'webhook',
    'orphan-visits',
    'ledger',
    'operation',
  ] as const),
];

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
    .addOption(new Option('--actor-kind <kind>', 'only changes by these').choices(ACTOR_KINDS))
    .option('--actor <name>', 'only changes by this key, user or operator')
    .addOption(new Option('--kind <kind>', 'only changes of these').choices(AUDITED_KINDS))
    .option('--object <name>', 'only changes of this thing (of a link domain/code)')
    .option('--from <instant>', 'at or after', parseInstant)
    .option('--to <instant>', 'before', parseInstant)
    .option('--after <id>', 'goes on behind this entry');
}

export function toAuditQuery(options: AuditOptions): AuditQuery {
  const { actorKind = null, actor = null, kind = null, object = null, from, to, after = null } = options;
  return { actorKind, actor, kind, object, from, to, after };
}
