import type { AuditEntry } from '@hopcount/contracts';

import { addAuditOptions, type AuditOptions, toAuditQuery } from '../audit/audit-options.js';
import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { limitOption } from '../operator-actions/options.js';
import type { Column } from '../output/output.js';

const HELP = `
Newest first: who changed which link, tag, group, domain, key, block or import, and from where; repairs by operators are
"operation". The row is written with the change, so there is none without the other. Kept for AUDIT_DAYS of the workers, and no more than AUDIT_ROWS.

Examples:
  $ hopcount audit
  $ hopcount audit list --object go.example/sale -o json
  $ hopcount audit list --range today --time-zone Europe/Berlin
  $ hopcount audit list --actor newsletter --kind link --from 2026-11-01T00:00:00Z`;

export const registerAuditList: RegisterCommand = (parent, context) => {
  const command = parent.command('list', { isDefault: true }).description('who changed what, and from where');
  addAuditOptions(command)
    .addOption(limitOption('changes', 100, 10_000))
    .addHelpText('after', HELP)
    .action(async (options: OutputOptions & AuditOptions & { limit: number }) => {
      const query = await toAuditQuery(options);
      const { AuditLog } = await import('@hopcount/identities');
      await withDatabase(context.config(), async (database) => {
        const { entries, next } = await new AuditLog(database).list(query, options.limit);
        context.terminal.rows(options.output, COLUMNS, entries);
        if (next !== null) context.terminal.message(`There are more: --after ${next}`);
      });
    });
};

const COLUMNS: Column<AuditEntry>[] = [
  { name: 'date', heading: 'date', value: ({ date }) => date },
  { name: 'actor', heading: 'who', value: ({ actor }) => `${actor.kind} ${actor.name}` },
  { name: 'address', heading: 'from', value: ({ actor }) => actor.address ?? '' },
  { name: 'action', heading: 'did', value: ({ action }) => action },
  { name: 'kind', heading: 'to', value: ({ kind }) => kind },
  {
    name: 'object',
    heading: 'what',
    value: ({ object, objects }) => object ?? (objects > 1 ? `${objects} of them` : ''),
  },
  { name: 'before', heading: 'before', value: ({ before }) => toText(before) },
  { name: 'after', heading: 'after', value: ({ after }) => toText(after) },
];

const toText = (fields: AuditEntry['before']) => (fields === null ? '' : JSON.stringify(fields));
