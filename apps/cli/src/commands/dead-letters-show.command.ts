import { printable } from '@hopcount/contracts';
import type { Letter } from '@hopcount/ledger';
import { AppError } from '@hopcount/runtime';
import { InvalidArgumentError } from 'commander';

import { withServices } from '../connections.js';
import { type OutputOptions, type RegisterCommand } from '../context.js';
import { walkLettersOf } from '../dead-letters/letter-options.js';

const MAX_SHOWN = 16_384;

const HELP = `
Shows one letter whole: its headers, its bytes as text (as base64 in JSON, too) and what would become
of it if it were sent again. <place> is partition@offset as list prints it.

Examples:
  $ hopcount dead-letters show 1@42
  $ hopcount dead-letters show 1@42 -o json | jq -r .valueBase64 | base64 -d`;

interface Place {
  partition: number;
  offset: bigint;
}

export const registerDeadLettersShow: RegisterCommand = (parent, context) => {
  parent
    .command('show')
    .description('show one dead letter')
    .argument('<place>', 'partition@offset', parsePlace)
    .addHelpText('after', HELP)
    .action((place: Place, { output }: OutputOptions) =>
      withServices(context, async (services) => {
        const { config, terminal, database } = services;
        const found: Letter[] = [];
        const range = { partition: [place.partition], fromOffset: place.offset, toOffset: place.offset + 1n };
        const onLetters = (letters: Letter[]) => void found.push(...letters);
        await walkLettersOf(services, range, { limit: 1, onLetters });
        const [letter] = found;
        if (letter === undefined) throw noSuchLetter(place);
        const { VisitJudge } = await import('@hopcount/ledger');
        const [verdict] = await new VisitJudge(database, config).judge([letter.record.value]);
        const redriven =
          verdict?.kind === 'refused' ? `refused: ${verdict.reason}` : OUTCOMES[verdict?.kind ?? 'missing'];
        const fields = describe(letter, redriven);
        terminal.rows(output, COLUMNS, Object.entries(fields), () => ({
          ...fields,
          valueBase64: letter.record.value?.toString('base64') ?? null,
        }));
      }),
    );
};

const OUTCOMES = {
  missing: 'would be counted',
  counted: 'is counted already',
  purged: 'would be kept out: its link was purged',
} as const;

type Field = [name: string, value: string | number | null];

const COLUMNS = [
  { name: 'field', heading: 'field', value: ([name]: Field) => name },
  { name: 'value', heading: 'value', value: ([, value]: Field) => value },
];

function describe({ record, about, state }: Letter, redriven: string): Record<string, string | number | null> {
  const headers = Object.entries(record.headers).map(([name, value]): [string, string] => {
    const first = Array.isArray(value) ? value[0] : value;
    return [`header ${printable(name)}`, printable(first?.toString() ?? '', MAX_SHOWN)];
  });
  return {
    place: `${record.partition}@${record.offset}`,
    time: about.time,
    state,
    redriven,
    key: record.key === null ? null : printable(record.key.toString(), MAX_SHOWN),
    ...Object.fromEntries<string>(headers),
    sizeBytes: about.sizeBytes,
    value: record.value === null ? null : printable(record.value.toString(), MAX_SHOWN),
  };
}

function parsePlace(text: string): Place {
  const [, partition, offset] = /^([0-9]{1,6})@([0-9]{1,18})$/.exec(text) ?? [];
  if (partition === undefined || offset === undefined) throw new InvalidArgumentError('Give partition@offset.');
  return { partition: Number(partition), offset: BigInt(offset) };
}

function noSuchLetter({ partition, offset }: Place): AppError {
  return new AppError(
    'no-such-dead-letter',
    `There is no dead letter at ${partition}@${offset}: retention may have removed it.`,
  );
}
