import type { SlotState } from '@hopcount/ledger';

import { withDatabase } from '../connections.js';
import { type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { findLinkId } from '../links/find-link.js';
import { limitOption } from '../operator-actions/options.js';
import { type Column, plural } from '../output/output.js';

const HELP = `
A link's all-time counters are kept in slots, more of them the hotter it is. "heat" is its visits since
about the start of the hour, "set" what an operator set (slots set), "rows" what there is in the table now, "drift" by how many visits slots and
buckets differ: it must be 0 (exit code 3 otherwise; to correct it: hopcount slots backfill --execute).

Examples:
  $ hopcount slots
  $ hopcount slots list --link aBcDeF1 -o json`;

export const registerSlotsList: RegisterCommand = (parent, context) => {
  parent
    .command('list', { isDefault: true })
    .description('slots, heat and drift of one link, or of those with the most slots and visits')
    .option('--link <code>', 'only this link')
    .option('--domain <authority>', 'domain of --link when several have that code')
    .addOption(limitOption('links', 100, 10_000))
    .addHelpText('after', HELP)
    .action(async (options: OutputOptions & { link?: string; domain?: string; limit: number }) => {
      const { measureSlotDrift, slotStates } = await import('@hopcount/ledger');
      const config = context.config();
      await withDatabase(config, async (database) => {
        const { link, domain, limit } = options;
        const scope = link === undefined ? {} : { linkId: await findLinkId(database, link, domain) };
        const states = await slotStates(database, { ...scope, limit });
        const recent = await measureSlotDrift(database);
        context.terminal.rows(options.output, COLUMNS, states);
        if (config.slots === 'off') {
          return context.terminal.message('SLOTS=off: commits do not keep slots, so drift says nothing.');
        }
        const drifted = states.filter((state) => state.drift !== 0).length;
        const wrong = drifted > 0 || (link === undefined && recent.drift !== 0);
        if (wrong) context.exitWith(VERIFICATION_FAILED);
        const others =
          link === undefined ? ` Drift of the ${plural(recent.links, 'link')} visited last: ${recent.drift}.` : '';
        context.terminal.message(`Listed: ${plural(states.length, 'link')}, ${drifted} with drift.${others}`);
        if (wrong) context.terminal.message('To correct it: hopcount slots backfill --execute');
      });
    });
};

const COLUMNS: Column<SlotState>[] = [
  { name: 'linkId', heading: 'link id', value: (state) => state.linkId, align: 'right' },
  { name: 'code', heading: 'code', value: (state) => state.code },
  { name: 'heat', heading: 'heat', value: (state) => state.heat, align: 'right' },
  { name: 'slots', heading: 'slots', value: (state) => state.slots, align: 'right' },
  { name: 'pinnedSlots', heading: 'set', value: (state) => state.pinnedSlots, align: 'right' },
  { name: 'rows', heading: 'rows', value: (state) => state.rows, align: 'right' },
  {
    name: 'foldedFrom',
    heading: 'folded from',
    value: ({ foldedFrom }) => (foldedFrom === null ? null : new Date(foldedFrom).toISOString()),
  },
  { name: 'visits', heading: 'visits', value: (state) => state.visits, align: 'right' },
  { name: 'drift', heading: 'drift', value: (state) => state.drift, align: 'right' },
];
