import {
  CONDITION_TYPES,
  conditionFault,
  type ConditionType,
  type RedirectCondition,
  type RedirectRule,
  ROUTE_LIMITS,
  type SplitTarget,
} from '@hopcount/links';

import { type Fields, invalid } from './fields.js';

type Unknown = Record<string, unknown>;

/** Redirect rules and split of a record, checked as those of the API are; targets are judged when the link is created. @throws RowSkipped */
export function readRoutes(fields: Fields): { redirectRules: RedirectRule[]; split: SplitTarget[] } {
  const rules = [...fields.list('redirectRules').map(readRule), ...deviceRules(fields)];
  const split = fields.list('split').map(readTarget);
  if (rules.length > ROUTE_LIMITS.rules) throw invalid('redirectRules', `has more than ${ROUTE_LIMITS.rules} rules`);
  if (split.length > ROUTE_LIMITS.targets) throw invalid('split', `has more than ${ROUTE_LIMITS.targets} targets`);
  if (JSON.stringify([rules, split]).length > ROUTE_LIMITS.characters) throw invalid('redirectRules', 'is too long');
  return { redirectRules: rules, split };
}

/** Shlink 3 had a URL for each kind of device, which 4 made rules of. */
function deviceRules(fields: Fields): RedirectRule[] {
  const given = fields.get('deviceLongUrls');
  if (given === undefined) return [];
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid('deviceLongUrls', 'is no object with URLs by device');
  return Object.entries(given).flatMap(([matchValue, longUrl]) => {
    if (longUrl === null || longUrl === '') return [];
    if (!DEVICES.includes(matchValue))
      throw invalid('deviceLongUrls', `has a device that is none of ${DEVICES.join(', ')}`);
    return [readRule({ longUrl: longUrl as unknown, conditions: [{ type: 'device', matchKey: null, matchValue }] })];
  });
}

const DEVICES = ['android', 'ios', 'desktop'];

function readRule(given: unknown): RedirectRule {
  const { longUrl, conditions } = (given ?? {}) as Unknown;
  if (typeof longUrl !== 'string') throw invalid('redirectRules', 'has a rule without longUrl');
  if (!Array.isArray(conditions) || conditions.length === 0 || conditions.length > ROUTE_LIMITS.conditions) {
    throw invalid('redirectRules', `has a rule without 1 to ${ROUTE_LIMITS.conditions} conditions`);
  }
  return { longUrl, conditions: conditions.map(readCondition) };
}

function readCondition(given: unknown): RedirectCondition {
  const { type, matchKey = null, matchValue = null } = (given ?? {}) as Unknown;
  if (!isOneOf(CONDITION_TYPES, type)) throw invalid('redirectRules', 'has a condition of a type nobody knows');
  if (!isText(matchKey) || !isText(matchValue)) throw invalid('redirectRules', 'has a condition that is no text');
  const condition = { type: type as ConditionType, matchKey, matchValue };
  const fault = conditionFault(condition);
  if (fault !== undefined) throw invalid('redirectRules', `has a condition that means nothing: ${fault}`);
  return condition;
}

function readTarget(given: unknown): SplitTarget {
  const { longUrl, weight } = (given ?? {}) as Unknown;
  if (typeof longUrl !== 'string') throw invalid('split', 'has a target without longUrl');
  if (!Number.isInteger(weight) || (weight as number) < 1 || (weight as number) > ROUTE_LIMITS.weight) {
    throw invalid('split', `has a weight that is not 1 to ${ROUTE_LIMITS.weight}`);
  }
  return { longUrl, weight: weight as number };
}

const isText = (value: unknown): value is string | null =>
  value === null || (typeof value === 'string' && value.length <= ROUTE_LIMITS.text && !/[\u0000\p{Cs}]/u.test(value));

const isOneOf = (values: readonly unknown[], value: unknown) => values.includes(value);
