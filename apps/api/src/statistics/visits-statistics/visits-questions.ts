import { Injectable } from '@nestjs/common';
import {
  GEO_ATTRIBUTION,
  ORPHAN_DIMENSIONS,
  TIME_DIMENSIONS,
  type TimeDimension,
  VISIT_DIMENSIONS,
} from '@hopcount/contracts';
import { canonicalAuthority, LinkDirectory, LinkStore } from '@hopcount/links';
import { AppError, type Reach } from '@hopcount/runtime';
import {
  type AnswerState,
  describeFreshness,
  exactnessOf,
  formatRanges,
  parseRange,
  quarterHoursAt,
  type StatisticsRange,
  type StatisticsScope,
  type VisitFilter,
  type VisitsQuery,
} from '@hopcount/statistics';

import { ApiMetrics } from '../../api.metrics.js';
import { Settings } from '../../settings.js';
import { type KnownLogEnds, VisitLogEnds } from '../log-ends.js';
import { keyRotationsIn } from '../statistics-answer.js';
import { hostFilters } from './host-filter.js';
import { isOfLinks, LINK_FILTER, linkFilters } from './link-filter.js';
import type { AskedFilter, Question, ScopeOfQuestion } from './visits-statistics.query.js';

/** What a query means, before anything is read. */
export interface AskedQuestion {
  query: VisitsQuery;
  range: StatisticsRange;
  /** undefined: of orphan visits no position in the log is kept. */
  known: KnownLogEnds | undefined;
}

/** From a query to a question, and from what was read to what every answer says. */
@Injectable()
export class VisitsQuestions {
  constructor(
    private readonly links: LinkStore,
    private readonly directory: LinkDirectory,
    private readonly logEnds: VisitLogEnds,
    private readonly metrics: ApiMetrics,
    private readonly settings: Settings,
  ) {}

  /**
   * @param gone aborted once nobody waits for the answer any more
   * @throws AppError `invalid-data`, `invalid-range`, `invalid-time-zone`, and what says that a scope is not there
   */
  async understand(reach: Reach, query: Question, gone?: AbortSignal): Promise<AskedQuestion> {
    const range = this.#range(query);
    const times = query.filter.filter(isOfTime);
    const others = query.filter.filter((filter) => !isOfTime(filter));
    const scope = await this.scope(reach, { ...query, filter: others });
    const checkpointsOf = this.settings.counting;
    const chosen = await this.filters(reach, { ...query, filter: others });
    const filters = times.length === 0 ? chosen : [...chosen, quarterHoursAt(range, times)];
    return {
      query: { ...range, reach, scope, filters, uniques: uniquesOf(query), checkpointsOf, gone },
      range,
      // Before the snapshot: what was published by then is either counted in it or pending.
      known: scope.of === 'orphans' ? undefined : await this.logEnds.read(),
    };
  }

  /** All that visits are chosen by, but for times. @throws AppError `invalid-data`, `short-url-not-found` */
  async filters(
    reach: Reach,
    query: Pick<ScopeOfQuestion, 'domain' | 'host' | 'hostKind' | 'filter'>,
  ): Promise<VisitFilter[]> {
    const plain = query.filter.filter((filter): filter is VisitFilter => !isOfTime(filter) && !isOfLinks(filter));
    const ofLinks = await linkFilters(this.links, reach, query.domain, query.filter.filter(isOfLinks));
    return [...plain, ...hostFilters(query), ...ofLinks];
  }

  describe({ range, known }: Pick<AskedQuestion, 'range' | 'known'>, state: AnswerState) {
    const { countedUpTo, pending } =
      known === undefined ? UNKNOWN_FRESHNESS : describeFreshness({ ...known, checkpoints: state.checkpoints });
    return {
      timeZone: range.timeZone,
      ...this.describeRange(range, state),
      countedUpTo: countedUpTo === null ? null : new Date(countedUpTo).toISOString(),
      pending,
      uncounted: state.uncounted,
      attribution: GEO_ATTRIBUTION,
    };
  }

  describeRange(range: Pick<StatisticsRange, 'from' | 'to' | 'timeZone'>, state: AnswerState) {
    const { exact, inexact: ranges } = exactnessOf(state);
    if (!exact) this.metrics.inexactAnswers.inc();
    const [whole, ...inexact] = formatRanges([range, ...ranges.slice(0, INEXACT_RANGES)], range.timeZone);
    return {
      startDate: whole?.startDate ?? '',
      endDate: whole?.endDate ?? '',
      exact,
      inexact,
      keyRotations: keyRotationsIn(range, this.settings.keyPeriods),
      readFrom: state.readFrom,
    };
  }

  #range(query: Question): StatisticsRange {
    const timeZone = query.timeZone ?? this.settings.reportingTimeZone;
    return parseRange({ ...query, timeZone }, Date.now());
  }

  /** Before addresses of visitors are told. @throws AppError `invalid-data` */
  expectShown(element: string, ...dimensions: readonly string[]): void {
    if (this.settings.hasIps || !dimensions.includes('ip')) return;
    throw invalid(
      element,
      'Addresses of visitors are not kept whole: ip needs VISITOR_IP=full, of the gateways and of this API.',
    );
  }

  /** Of domains that nobody filed, too. */
  async #orphans(reach: Reach, { domain, ...others }: Omit<ScopeOfQuestion, 'filter'>): Promise<StatisticsScope> {
    const [named] = (['tag', 'group', 'shortCode', 'host'] as const).filter((name) => (others[name] ?? null) !== null);
    if (named !== undefined) throw invalid(named, `Orphan visits are of no short URL: leave out ${named} or orphans.`);
    if (domain === null) return { of: 'orphans', domain };
    const filed = await this.directory.findDomain(reach, domain);
    return { of: 'orphans', domain: filed?.authority ?? canonicalAuthority(domain) ?? domain };
  }

  /** @throws AppError `invalid-data`, and what says that a scope is not there */
  async scope(
    reach: Reach,
    { domain, tag, group, shortCode, host = null, hostKind, orphans = false, filter }: ScopeOfQuestion,
  ): Promise<StatisticsScope> {
    if (hostKind !== undefined && host === null) throw invalid('hostKind', 'hostKind says of what host: name one.');
    expectDimensions(filter, orphans);
    this.expectShown('filter', ...filter.map(({ dimension }) => dimension));
    if (orphans) return this.#orphans(reach, { domain, tag, group, shortCode, host });
    if (group !== null) {
      if (domain !== null || tag !== null || shortCode !== null) {
        throw invalid('group', 'group stands alone: leave out domain, tag and shortCode.');
      }
      return { of: 'group', groupId: await this.directory.visitedGroup(reach, group) };
    }
    if (shortCode !== null) {
      if (tag !== null) throw invalid('tag', 'shortCode and tag do not go together: leave either out.');
      return { of: 'link', linkId: (await this.links.get(reach, shortCode, domain)).id };
    }
    const domainId = domain === null ? undefined : (await this.directory.domain(reach, domain)).id;
    if (tag !== null) return { of: 'tag', tagId: await this.directory.tagId(reach, tag), domainId };
    return domainId === undefined ? { of: 'all' } : { of: 'domain', domainId };
  }
}

function isOfTime(filter: AskedFilter): filter is AskedFilter & { dimension: TimeDimension } {
  return TIME_DIMENSIONS.some((known) => known === filter.dimension);
}

const UNKNOWN_FRESHNESS = { countedUpTo: null, pending: null };

/** Each has its own dimensions. @throws AppError `invalid-data` */
function expectDimensions(filters: ScopeOfQuestion['filter'], orphans: boolean): void {
  const allowed: readonly string[] = orphans ? ORPHAN_DIMENSIONS : [...VISIT_DIMENSIONS, LINK_FILTER];
  const wrong = filters.find(({ dimension }) => !allowed.includes(dimension));
  if (wrong === undefined) return;
  const whose = orphans ? 'Orphan visits have' : 'Visits of short URLs have';
  throw invalid('filter', `${whose} no ${wrong.dimension}; they have ${allowed.join(', ')}.`);
}

/** @throws AppError `invalid-data` */
function uniquesOf({ orphans = false, uniques = 'none' }: Question): VisitsQuery['uniques'] {
  if (!orphans) return uniques;
  if (uniques === 'visitors')
    throw invalid('uniques', 'Orphan visits have no visitors: ask for all (their IPs) or none.');
  return uniques === 'all' ? 'ips' : 'none';
}

/** More are a sign that the archive is gone; the first ones say from when on. */
const INEXACT_RANGES = 100;

function invalid(element: string, message: string): AppError {
  return new AppError('invalid-data', message, { details: { invalidElements: [element] } });
}
