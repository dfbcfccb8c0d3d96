import { Injectable } from '@nestjs/common';
import { type HostVisits, noVisits, VISIT_CLASSES } from '@hopcount/contracts';
import { asciiOf } from '@hopcount/hosts';
import type { HostTotal } from '@hopcount/ledger';
import { isServerAway } from '@hopcount/postgres';
import { exactnessOfHostSums, formatRanges, HostSeries, type HostSeriesRow, parseTimeZone } from '@hopcount/statistics';

import { HostMemory } from './host-memory.js';

/** A range of nothing: what is asked for comes along with it. */
const NOTHING = { from: 0, to: 0, starts: [0] };

export interface Question {
  kind: HostVisits['kind'];
  /** Labels reversed. */
  name: string;
  scope: HostVisits['scope'];
  keyId: number | null;
}

/** What an answer says of its range. */
interface Dates {
  asked: string;
  to: number;
  asOf: string;
  timeZone: string;
  dates: { startDate: string; endDate: string };
}

/** Visits of a host of all time: from memory while that is up to date, else of PostgreSQL; while that is away, from memory as of then. */
@Injectable()
export class AllTime {
  #last: Dates | undefined;

  constructor(
    private readonly memory: HostMemory,
    private readonly series: HostSeries,
  ) {}

  /** @throws AppError `invalid-time-zone`; what HostSeries throws */
  async read(question: Question, said: { timeZone: string; interval: HostVisits['interval'] }): Promise<HostVisits> {
    const kept = this.memory.read(question) ?? (await this.#ask(question));
    const { timeZone, dates, asOf } = this.#datesOf(said.timeZone, kept.asOf);
    const { totals, allTime, dataCentres, children, lumped } = 'visits' in kept ? fromMemory(kept) : fromSeries(kept);
    // One literal: spread together it cost as much as all else about an answer.
    return {
      kind: question.kind,
      host: asciiOf(question.name),
      scope: question.scope,
      asOf,
      startDate: dates.startDate,
      endDate: dates.endDate,
      timeZone,
      interval: said.interval,
      exact: exactnessOfHostSums(kept.isAttributed).exact,
      totals,
      allTime,
      dataCentres,
      children,
      lumped,
      series: [],
    };
  }

  /** Memory is the same for a second, and so are they. */
  #datesOf(timeZone: string, asOf: Date): Dates {
    const last = this.#last;
    const to = asOf.getTime();
    if (last?.asked === timeZone && last.to === to) return last;
    const known = parseTimeZone(timeZone);
    const [dates] = formatRanges([{ from: 0, to }], known);
    this.#last = { asked: timeZone, to, asOf: asOf.toISOString(), timeZone: known, dates: dates! };
    return this.#last;
  }

  async #ask({
    name,
    ...question
  }: Question): Promise<HostTotal | (HostSeriesRow & { asOf: Date; isAttributed: boolean })> {
    try {
      const asked = { ...question, names: [name], ...NOTHING, withDataCentres: true };
      const { hosts, asOf, isAttributed } = await this.series.read(asked);
      return { ...hosts[0]!, asOf, isAttributed };
    } catch (error) {
      const old = isServerAway(error) ? this.memory.readOld({ ...question, name }) : undefined;
      if (old === undefined) throw error;
      return old;
    }
  }
}

export function toDataCentres(centres: HostSeriesRow['dataCentres']): HostVisits['dataCentres'] {
  return centres.map(({ isOwn, asOf, ...centre }) => ({ ...centre, own: isOwn, asOf: asOf?.toISOString() ?? null }));
}

type Sums = Pick<HostVisits, 'totals' | 'allTime' | 'dataCentres' | 'children' | 'lumped'>;

function fromMemory({ visits, children, lumped }: HostTotal): Sums {
  const byClass = noVisits();
  let sum = 0;
  for (const [number, visitClass] of VISIT_CLASSES.entries()) {
    byClass[visitClass] = visits[number] ?? 0;
    sum += byClass[visitClass];
  }
  const sums = { visits: sum, byClass };
  return { totals: sums, allTime: sums, dataCentres: [], children, lumped };
}

function fromSeries({ allTime, dataCentres, children, lumped }: HostSeriesRow): Sums {
  const own = dataCentres.find(({ isOwn }) => isOwn) ?? allTime;
  const totals = { visits: own.visits, byClass: own.byClass };
  return { totals, allTime, dataCentres: toDataCentres(dataCentres), children, lumped };
}
