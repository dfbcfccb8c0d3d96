import type { ConditionType, RulesEdit } from './rules.js';

export type RuleForm = RulesEdit['redirectRules'][number];
export type ConditionForm = RuleForm['conditions'][number];

/** With what it is about, and a value that means something where there are few to choose from. */
export function emptyCondition(type: ConditionType): ConditionForm {
  const values: Partial<Record<ConditionType, string>> = { device: 'android', browser: 'chrome' };
  return { type, matchKey: hasKey(type) ? '' : null, matchValue: hasValue(type) ? (values[type] ?? '') : null };
}

/** Of what is written in a form of its own. */
export const EXAMPLES: Partial<Record<ConditionType, string>> = {
  language: 'pt-BR',
  'geolocation-country-code': 'DE',
  'geolocation-city-name': 'Berlin',
  'query-param': 'mail',
  'ip-address': '192.0.2.0/24',
};

export const emptyRule = (): RuleForm => ({ longUrl: '', conditions: [emptyCondition('device')] });

export const hasKey = (type: ConditionType) => type.endsWith('query-param');
export const hasValue = (type: ConditionType) => type !== 'any-value-query-param' && type !== 'valueless-query-param';

export function without<Item>(items: readonly Item[], index: number): Item[] {
  return items.filter((_, at) => at !== index);
}

/** Before the one that is before it. */
export function moved<Item>(items: readonly Item[], index: number): Item[] {
  const [item] = items.slice(index, index + 1);
  return item === undefined ? [...items] : without(items, index).toSpliced(index - 1, 0, item);
}
