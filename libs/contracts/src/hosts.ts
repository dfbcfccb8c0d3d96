import { z } from 'zod';

import { HOST_KINDS } from './host-kind.js';
import { INTERVALS } from './statistics.js';
import { VISIT_CLASSES } from './visit-class.js';

/** Of a name: its own visits; those of all names below it (`*.x`, any depth); those of names one label below; its own and all below. */
export const HOST_SCOPES = ['self', 'below', 'children', 'subtree'] as const;
export type HostScope = (typeof HOST_SCOPES)[number];

const count = z.int();
const sums = {
  visits: count,
  byClass: z.record(z.enum(VISIT_CLASSES), count),
};
const host = z.string().meta({
  description:
    'In ASCII. `~unknown`: none could be read, or counted before hosts were; `~direct`: no referrer; `~ip`: all addresses; `~app`: all apps; `~rest` below a name: of further names, not told apart.',
});
const kind = z.enum(HOST_KINDS);

export const hostSchema = z
  .strictObject({
    kind,
    host,
    scope: z.enum(HOST_SCOPES),
    asOf: z.iso.datetime().meta({ description: 'Of the snapshot the answer is of.' }),
    startDate: z.iso.datetime({ offset: true }),
    endDate: z.iso.datetime({ offset: true }),
    timeZone: z.string(),
    interval: z.enum(INTERVALS),
    totals: z.strictObject(sums).meta({ description: 'Of the range.' }),
    allTime: z.strictObject(sums),
    children: count.meta({
      description: 'Names one label below that are counted apart and have visits of the kind, or have some below them.',
    }),
    lumped: z.boolean().meta({ description: 'It has too many: further ones are together in `~rest`.' }),
    series: z.array(z.strictObject({ start: z.iso.datetime({ offset: true }), visits: count })),
  })
  .meta({ id: 'HostVisits' });
export type HostVisits = z.infer<typeof hostSchema>;

export const hostListSchema = z
  .strictObject({
    hosts: z.strictObject({
      kind,
      below: host.nullable(),
      data: z.array(
        z.strictObject({
          host,
          ...sums,
          own: count.meta({ description: 'Of the name itself; `visits` has those of all names below it, too.' }),
          children: count,
        }),
      ),
      next: z.string().nullable().meta({ description: '`after` of the next page; null: this is the last one.' }),
    }),
  })
  .meta({ id: 'HostList' });
export type HostList = z.infer<typeof hostListSchema>;
