import { addAuditOptions, type AuditOptions, toAuditQuery } from '../audit/audit-options.js';
import { withDatabase } from '../connections.js';
import type { OutputOptions, RegisterCommand } from '../context.js';
import { NO_BOM } from '../output/output.js';

const HELP = `
Oldest first: CSV, or with -o json JSON Lines. Memory stays the same however many there are; broken off, it goes on behind
the last line with --after. It ends a second ago, or when the oldest transaction under way began: the next one has the rest.

Examples:
  $ hopcount audit export > audit-log.csv
  $ hopcount audit export -o json --from 2026-11-01T00:00:00Z --to 2026-12-01T00:00:00Z > november.jsonl`;

export const registerAuditExport: RegisterCommand = (parent, context) => {
  const command = parent.command('export').description('who changed what as CSV or JSON Lines');
  addAuditOptions(command)
    .addHelpText('after', HELP)
    .option(...NO_BOM)
    .action(async (options: OutputOptions & AuditOptions & { bom: boolean }) => {
      const query = await toAuditQuery(options);
      const [{ AuditLog }, { exportAuditLog }] = await Promise.all([
        import('@hopcount/identities'),
        import('@hopcount/transfer'),
      ]);
      await withDatabase(context.config(), (database) => {
        const entries = new AuditLog(database).read(query);
        const format = options.output === 'json' ? 'jsonl' : 'csv';
        return context.terminal.pour(exportAuditLog(entries, { format, bom: options.bom, deadlineMs: Infinity }));
      });
    });
};
