import type { Database } from '@hopcount/postgres';
import { InvalidArgumentError } from 'commander';

import { withDatabase } from '../connections.js';
import { type CliContext, type OutputOptions, type RegisterCommand, VERIFICATION_FAILED } from '../context.js';
import { findLinkId } from '../links/find-link.js';
import { asAction } from '../operator-actions/operator-action.js';
import { executeOption } from '../operator-actions/options.js';
import { reportCounts } from '../operator-actions/report-counts.js';
import { plural } from '../output/output.js';

const MOST_SLOTS = 100;
const AUTO = 'auto';

const HELP = `
Sets how many slots the counters of a link have, whatever its heat, e.g. before a campaign; "auto" lets
its heat decide again. Visits are counted meanwhile and no count changes; the worker merges slots it has no more.
Consumers never use more slots than their setting SLOTS. Each partition of the visits topic writes to one slot, so
slots beyond the number of partitions stay empty; the answer says how many are in use ("slotsInUse").

Examples:
  $ hopcount slots set aBcDeF1 32
  $ hopcount slots set aBcDeF1 32 --execute
  $ hopcount slots set aBcDeF1 auto --execute`;

interface SetOptions extends OutputOptions {
  domain?: string;
  execute: boolean;
}

export const registerSlotsSet: RegisterCommand = (parent, context) => {
  parent
    .command('set')
    .description("set the number of a link's slots, or let its heat decide again")
    .argument('<code>', 'the link')
    .argument('<slots>', `1 to ${MOST_SLOTS}, or ${AUTO}`, parseSlots)
    .option('--domain <authority>', 'domain of the link when several have that code')
    .addOption(executeOption())
    .addHelpText('after', HELP)
    .action((code: string, slots: number | typeof AUTO, options: SetOptions) =>
      withDatabase(context.config(), async (database) => {
        const linkId = await findLinkId(database, code, options.domain);
        const before = await stateOf(database, linkId);
        if (!options.execute) {
          const slotsInUse = await slotsInUseOf(context, database, slots === AUTO ? before.slots : slots);
          const plan = { ...before, slotsToSet: slots, slotsInUse, expectedCountChange: 0 };
          reportCounts(context, options.output, plan);
          return context.terminal.message('Nothing was changed (no --execute).');
        }
        const given = { code, domain: options.domain, linkId, slots };
        const description = { command: 'slots set', arguments: given, output: options.output };
        const change = { linkId, slots: slots === AUTO ? null : slots, before: before.slots };
        await asAction({ context, database }, description, () => set(context, database, change));
      }),
    );
};

async function set(
  context: CliContext,
  database: Database,
  { linkId, slots, before }: { linkId: string; slots: number | null; before: number },
) {
  const { pinSlots } = await import('@hopcount/ledger');
  const now = await pinSlots(database, linkId, slots);
  const { drift } = await stateOf(database, linkId);
  const slotsInUse = await slotsInUseOf(context, database, now);
  const { slots: kept } = context.config();
  const isRight = drift === 0 || kept === 'off';
  if (!isRight) context.exitWith(VERIFICATION_FAILED);
  context.terminal.message(
    isRight
      ? `${slots === null ? 'Its heat decides from now on' : 'Set'}; its counters equal its buckets.`
      : `Its counters differ from its buckets by ${drift} visits: hopcount slots backfill --execute`,
  );
  return {
    outcome: isRight ? ('done' as const) : ('mismatch' as const),
    counts: { slotsBefore: before, slots: now, slotsInUse, drift },
  };
}

/** A partition writes to the slot of its number modulo the slots, so no more are written to than there are partitions. */
async function slotsInUseOf({ config, terminal }: CliContext, database: Database, slots: number): Promise<number> {
  const { readCheckpoints } = await import('@hopcount/ledger');
  const { consumerGroup, visitsTopic } = config();
  const partitions = (await readCheckpoints(database, consumerGroup, visitsTopic)).length;
  // Nothing was counted yet: how many there are is not known here.
  if (partitions === 0 || slots <= partitions) return slots;
  const topic = `Topic ${visitsTopic} has ${plural(partitions, 'partition')}`;
  terminal.message(
    `${topic}, so only ${partitions} of ${slots} slots are used: each partition writes to one. Set ${partitions}, or add partitions.`,
  );
  return partitions;
}

async function stateOf(database: Database, linkId: string) {
  const { slotStates } = await import('@hopcount/ledger');
  const [state] = await slotStates(database, { linkId });
  if (state === undefined) throw new Error('list-slot-states.sql answers one row for one link');
  const { heat, slots, pinnedSlots, rows, visits, drift } = state;
  return { linkId, heat, slots, pinnedSlots, rows, visits, drift };
}

function parseSlots(text: string): number | typeof AUTO {
  if (text === AUTO) return AUTO;
  const slots = Number(text);
  if (/^[0-9]+$/.test(text) && slots >= 1 && slots <= MOST_SLOTS) return slots;
  throw new InvalidArgumentError(`Give a whole number from 1 to ${MOST_SLOTS}, or ${AUTO}.`);
}
