import { createHash } from 'node:crypto';

import { compileConditions, type LinkPolicy, type ResolvedLink, type SplitTarget } from '@hopcount/links';

import { RedirectTarget, type TargetRules } from './redirect-target.js';
import type { VisitorFacts } from './visitor-facts.js';

/** Where one visitor goes; `name` goes into the visit. */
export interface Route {
  name: string;
  target: RedirectTarget;
}

export interface CompiledRoutes {
  /** Undefined: to the long URL. */
  choose(visitor: VisitorFacts): Route | undefined;
  /** Whether geography is asked for. */
  needsPlace: boolean;
  /** Whether a page comes before one of the targets. */
  mayWarn: boolean;
}

/** A link's rules and split, or undefined when it has none. */
export function compileRoutes(
  link: ResolvedLink,
  { rules = [], split = [] }: LinkPolicy,
  targets: TargetRules,
): CompiledRoutes | undefined {
  if (rules.length === 0 && split.length === 0) return undefined;
  const compiled = rules.flatMap((rule, index) => {
    const target = targetOf(rule, targets);
    const conditions = conditionsOf(rule);
    if (target === undefined || conditions === undefined) return [];
    return [{ route: { name: `rule:${index + 1}`, target }, isMeant: compileConditions(conditions) }];
  });
  const parts = splitTargets(split, targets);
  const divide = compileSplit(link.id, parts);
  return {
    choose: (visitor) => compiled.find(({ isMeant }) => isMeant(visitor))?.route ?? divide(visitor),
    needsPlace: rules.some((rule) => conditionsOf(rule)?.some(asksForPlace) === true),
    mayWarn: [...compiled, ...parts].some(({ route }) => route.target.action === 'warn'),
  };
}

interface SplitPart {
  route: Route;
  weight: number;
}

function splitTargets(split: readonly SplitTarget[], rules: TargetRules): SplitPart[] {
  return split.flatMap((part, index) => {
    const target = targetOf(part, rules);
    const { weight } = fieldsOf(part);
    return target === undefined || typeof weight !== 'number'
      ? []
      : [{ route: { name: `split:${index + 1}`, target }, weight }];
  });
}

/** A visitor's place in the split depends on visitor and link only, so it is the same on every gateway. */
function compileSplit(linkId: string, targets: readonly SplitPart[]): (visitor: VisitorFacts) => Route | undefined {
  const sum = targets.reduce((total, { weight }) => total + weight, 0);
  return (visitor) => {
    if (targets.length === 0) return undefined;
    const digest = createHash('sha256').update(`${linkId} ${visitor.visitorKey()}`).digest();
    let left = (digest.readUIntBE(0, 6) / 2 ** 48) * sum;
    return targets.find(({ weight }) => (left -= weight) < 0)?.route;
  };
}

/** What a later version or a hand wrote may have any shape; the api has judged the rest. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function targetOf(value: unknown, rules: TargetRules): RedirectTarget | undefined {
  const { longUrl } = fieldsOf(value);
  return typeof longUrl === 'string' ? RedirectTarget.of(longUrl, rules) : undefined;
}

/** Undefined: nobody knows whom the rule is for. */
function conditionsOf(rule: unknown): readonly unknown[] | undefined {
  const { conditions } = fieldsOf(rule);
  return Array.isArray(conditions) ? (conditions as unknown[]) : undefined;
}

function asksForPlace(condition: unknown): boolean {
  const { type } = fieldsOf(condition);
  return typeof type === 'string' && type.startsWith('geolocation-');
}
