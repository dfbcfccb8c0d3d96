import { z } from 'zod';

import { HOST_KINDS, type HostKind } from './host-kind.js';
import { INTERVALS } from './statistics.js';
import { answered } from './visits-statistics.js';
import { VISIT_CLASSES } from './visit-class.js';

/** Of a name: its own visits; those of all names below it (`*.x`, any depth); those of names one label below, as TLS means it; its own and all below. */
export const HOST_SCOPES = ['self', 'below', 'children', 'subtree'] as const;
export type HostScope = (typeof HOST_SCOPES)[number];

/** What lists of hosts are ordered by. */
export const HOST_ORDERS = ['visits', 'window', 'excess'] as const;
export type HostOrder = (typeof HOST_ORDERS)[number];

const count = z.int();
const sums = {
  visits: count,
  byClass: z.record(z.enum(VISIT_CLASSES), count),
};
const host = z.string().meta({
  description:
    'In ASCII. `~unknown`: none could be read, or counted before hosts were; `~direct`: no referrer; `~ip`: all addresses; `~app`: all apps (one: `android-app://com.example`); `~rest` below a name: of further names, not told apart; of referrers also at the top, of last labels that no list has.',
});
const kind = z.enum(HOST_KINDS);
const children = count.meta({ description: 'Names one label below that are counted apart.' });

export const hostSchema = z
  .strictObject({
    kind,
    host,
    scope: z.enum(HOST_SCOPES),
    asOf: z.iso.datetime().meta({
      description:
        'When the snapshot was taken. All numbers, and `exact`, hold at this instant. While PostgreSQL is away, `period=allTime` is answered from the last snapshot, whatever its age.',
    }),
    startDate: z.iso.datetime({ offset: true }),
    endDate: z.iso.datetime({ offset: true }),
    timeZone: z.string(),
    interval: z.enum(INTERVALS),
    exact: z.boolean().meta({
      description:
        'False when not all visits of the range are stored any more, while sums are known to be wrong, and while the sums still include visits that were purged from a month that PostgreSQL has dropped, here or in another data centre. Sealing its files corrects the sums; if ARCHIVE_DAYS has removed these files, nothing does. It rests on a comparison with the visits where PostgreSQL has at most 10,000 of them; workers compare larger sums in turn, all the time.',
    }),
    totals: z.strictObject(sums).meta({ description: 'Of the range, of this data centre.' }),
    allTime: z.strictObject(sums).meta({ description: 'Of all data centres.' }),
    dataCentres: z
      .array(
        z.strictObject({
          name: z.string(),
          own: z.boolean().meta({ description: 'It is the one that answers.' }),
          asOf: z.iso
            .datetime()
            .nullable()
            .meta({ description: 'All it had counted by then is here; null: nothing is known of it yet.' }),
          ...sums,
        }),
      )
      .meta({ description: 'Of which `allTime` is the sum; empty where there is one.' }),
    children,
    lumped: z.boolean().meta({
      description:
        'Some of it, or all, is not told apart in sums: names beyond those a parent may have count at its `~rest`. That is part of `below` and `subtree` of what is above it, and of no `self` or `children`. `totals` and `series` of such a name itself are counted visit by visit, `allTime` lacks it.',
    }),
    series: z.array(z.strictObject({ start: z.iso.datetime({ offset: true }), visits: count })),
  })
  .meta({ id: 'HostVisits' });
export type HostVisits = z.infer<typeof hostSchema>;

const points = z.array(z.strictObject({ start: z.iso.datetime({ offset: true }), visits: count }));
const counted = {
  host,
  totals: z.strictObject(sums).meta({ description: 'Of the range.' }),
  allTime: z.strictObject(sums),
  series: points,
};
const said = z.strictObject(answered).omit({ attribution: true, keyRotations: true }).shape;

export const hostSeriesSchema = z
  .strictObject({ ...said, kind, scope: z.enum(HOST_SCOPES), interval: z.enum(INTERVALS), ...counted })
  .meta({ id: 'HostSeries' });
export type HostSeriesAnswer = z.infer<typeof hostSeriesSchema>;

export const hostComparisonSchema = z
  .strictObject({
    ...said,
    kind,
    scope: z.enum(HOST_SCOPES),
    interval: z.enum(INTERVALS),
    hosts: z
      .array(z.strictObject({ ...counted, window: count.meta({ description: 'Of the last five minutes.' }) }))
      .meta({ description: 'In the order of `names`, all of one snapshot.' }),
  })
  .meta({ id: 'HostComparison' });
export type HostComparison = z.infer<typeof hostComparisonSchema>;

export const hostListSchema = z
  .strictObject({
    hosts: z.strictObject({
      kind,
      below: host.nullable(),
      exact: z.boolean().meta({
        description:
          'Of the state about a second ago. False while sums are known to be wrong, and while the sums still include visits that were purged from a month that PostgreSQL has dropped, here or in another data centre. Sealing its files corrects the sums; if ARCHIVE_DAYS has removed these files, nothing does. Workers compare these sums with the visits in turn, all the time.',
      }),
      data: z.array(
        z.strictObject({
          host,
          ...sums,
          own: count.meta({ description: 'Of the name itself; `visits` has those of all names below it, too.' }),
          children,
          window: count.nullable().meta({
            description: 'Of the last five minutes, where the list is ordered by it or by excess; else null.',
          }),
          usualVisits: z.number().nullable().meta({
            description:
              'In five minutes, as for alerts: the larger median of the same time in the last four weeks and of the last two hours. null: the list is not ordered by excess, or too little is known of the host.',
          }),
          excess: count.nullable().meta({
            description:
              '`window` without `usualVisits`, of which a host nobody knows enough of has none; null: the list is not ordered by it.',
          }),
        }),
      ),
      next: z.string().nullable().meta({ description: '`after` of the next page; null: this is the last one.' }),
    }),
  })
  .meta({ id: 'HostList' });
export type HostList = z.infer<typeof hostListSchema>;

export const hostReportSchema = z
  .string()
  .meta({ id: 'HostReport', description: 'CSV: change, kind, host, visits, surges.' });

const named = { visits: count };

export const surgeExplanationSchema = z
  .strictObject({
    visits: count.meta({
      description: 'In these five minutes, of the newest 100,000 visits of all hosts; the rest is of them.',
    }),
    bots: count.meta({ description: 'Of `visits`, by bots, previews and prefetches.' }),
    children: count.meta({ description: 'Distinct names one label below it that had some.' }),
    links: z.array(z.strictObject({ domain: z.string(), shortCode: z.string(), ...named })),
    referrers: z.array(z.strictObject({ referrer: z.string(), ...named })),
    countries: z.array(z.strictObject({ country: z.string(), ...named })),
  })
  .meta({ id: 'SurgeExplanation', description: 'What it is made of; the five with the most visits of each.' });
export type SurgeExplanation = z.infer<typeof surgeExplanationSchema>;

const instant = z.iso.datetime().meta({ description: 'In time of visits.' });

/** `data` of an event of GET /rest/v3/hosts/alerts/stream. */
export interface HostAlertMessage {
  /** Of the surge, as in the list of alerts. */
  id: string;
  what: 'opened' | 'escalated' | 'closed';
  kind: HostKind;
  host: string;
  at: string;
  visits: number;
  usualVisits: number;
  new: boolean;
  closedBecause: 'over' | 'lasting' | null;
  explanation: SurgeExplanation | null;
}

export const hostAlertListSchema = z
  .strictObject({
    alerts: z.strictObject({
      data: z.array(
        z
          .strictObject({
            id: z.string().meta({ examples: ['7'] }),
            kind,
            host,
            state: z.enum(['open', 'closed']),
            openedAt: instant,
            escalatedAt: instant.nullable().meta({ description: 'When it had doubled, the last time.' }),
            closedAt: instant.nullable(),
            closedBecause: z
              .enum(['over', 'lasting'])
              .nullable()
              .meta({ description: '`lasting`: after a day it is what is usual.' }),
            visits: count.meta({ description: 'In five minutes, when it was opened or had doubled last.' }),
            usualVisits: z.number().meta({ description: 'In five minutes.' }),
            new: z.boolean().meta({
              description: 'Too little is known of the host: `usualVisits` is of the one above it, or 0.',
            }),
            explanation: surgeExplanationSchema
              .nullable()
              .meta({ description: 'null: more than ten began to surge at once, or it was fed.' }),
          })
          .meta({ id: 'HostAlert' }),
      ),
      next: z.string().nullable().meta({ description: '`after` of the next page; null: this is the last one.' }),
    }),
  })
  .meta({ id: 'HostAlertList' });
export type HostAlertList = z.infer<typeof hostAlertListSchema>;
