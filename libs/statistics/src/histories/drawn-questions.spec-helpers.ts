import type { GroupedBy, VisitFilter } from '@hopcount/archive';
import { INTERVALS, URL_DIMENSIONS, VISIT_CLASSES, VISIT_DIMENSIONS, type VisitDimension } from '@hopcount/contracts';
import { BUCKET_MS, DAY_MS, HOUR_MS, type InstantRange } from '@hopcount/ledger';
import type { randomSource } from '@hopcount/ledger/spec-helpers';

import type { StatisticsScope } from '../scopes/statistics-scope.js';
import { type ScopedVisit, valuesOf } from './scope-model.spec-helpers.js';

export const FROM = Date.parse('2026-05-10T00:00:00Z');
export const SPAN = { from: FROM, to: FROM + 3 * DAY_MS };
export const LINKS = ['1', '2', '3', '4', '5'];

type Random = ReturnType<typeof randomSource>;

const ZONES = ['UTC', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/New_York'];
export const EDGES = [FROM, FROM + HOUR_MS, FROM + DAY_MS, FROM + DAY_MS + 6.5 * HOUR_MS, FROM + 2 * DAY_MS];

export interface Question {
  scope: StatisticsScope;
  range: InstantRange;
  filters: VisitFilter[];
  timeZone: string;
  interval: (typeof INTERVALS)[number];
  uniques: 'none' | 'visitors' | 'all';
  of: GroupedBy;
}

export function drawQuestion(random: Random, visits: readonly ScopedVisit[], scope = drawScope(random)): Question {
  const limits = [0, 0].map(() => drawInstant(random)).sort((a, b) => a - b);
  const range = { from: limits[0]!, to: limits[1]! };
  const intervals = INTERVALS.filter((name) => name !== '15min' || range.to - range.from < DAY_MS);
  return {
    ...{
      scope,
      range,
      filters: drawFilters(random, visits),
      timeZone: random.pick(ZONES),
      interval: random.pick(intervals),
    },
    uniques: random.pick(['none', 'visitors', 'all', 'all'] as const),
    of: random.pick<GroupedBy>([...VISIT_DIMENSIONS, 'link']),
  };
}

function drawInstant(random: Random): number {
  if (random.below(2) === 0) return random.pick([...EDGES, SPAN.to]);
  const at = FROM + random.below(SPAN.to - FROM);
  return random.below(2) === 0 ? at : Math.floor(at / BUCKET_MS) * BUCKET_MS;
}

function drawScope(random: Random): StatisticsScope {
  const [domainId, tagId] = [random.pick([1, 2]), 1];
  return random.pick<StatisticsScope>([
    { of: 'all' },
    { of: 'domain', domainId },
    { of: 'group', groupId: random.pick(['g-1', 'g-2', '']) },
    { of: 'tag', tagId },
    { of: 'tag', tagId, domainId },
    { of: 'link', linkId: random.pick(LINKS) },
  ]);
}

function drawFilters(random: Random, visits: readonly ScopedVisit[]): VisitFilter[] {
  const some = visits.length === 0 ? undefined : random.pick(visits);
  return Array.from({ length: random.pick([0, 0, 1, 1, 2, 3]) }, () => {
    const dimension: VisitDimension = random.pick([...VISIT_DIMENSIONS, 'class', 'class']);
    const isExcluded = random.below(3) === 0;
    const value = () => (some === undefined ? '' : (valuesOf([random.pick(visits)], dimension)[0]?.value ?? ''));
    const isPrefix = URL_DIMENSIONS.includes(dimension) && random.below(2) === 0;
    if (dimension === 'class')
      return { dimension, values: [random.pick(VISIT_CLASSES), 'bot'], prefixes: [], isExcluded };
    const [one, other] = [value(), value()];
    if (!isPrefix) return { dimension, values: [one, other, 'nobody'], prefixes: [], isExcluded };
    // Values beside prefixes: https://example.org/ begins another one.
    return { dimension, values: [other], prefixes: [one.slice(0, 20), 'nobody'], isExcluded };
  });
}
