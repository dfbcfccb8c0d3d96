import { REST_HOST } from '@hopcount/contracts';

import { hostParent } from './host-name.js';

/** Children with counts of their own: of a parent, and of a top-level domain. */
export interface HostLimits {
  children: number;
  childrenOfTop: number;
}

export interface NewHost {
  name: string;
  parent: string | null;
}

/**
 * Which rows the names of a fold need: they themselves and their ancestors, in key order. Beyond the limit of a parent its child `~rest`
 * comes instead, once, and from then on all that is new below counts there (host_place() of PostgreSQL): the parent stays exact.
 */
export function planHosts(
  names: readonly string[],
  childrenOf: ReadonlyMap<string | null, number>,
  limits: HostLimits,
): NewHost[] {
  const children = new Map(childrenOf);
  const closed = new Set<string | null>();
  const added = new Map<string, NewHost>();
  const add = (name: string): boolean => {
    if (children.has(name)) return true;
    const parent = hostParent(name);
    if (parent !== null && !add(parent)) return false;
    const count = children.get(parent) ?? 0;
    if (closed.has(parent)) return false;
    const isFull = count >= limitOf(parent, limits);
    const own = isFull ? (parent === null ? REST_HOST : `${parent}.${REST_HOST}`) : name;
    if (isFull) closed.add(parent);
    added.set(own, { name: own, parent });
    children.set(parent, count + 1).set(own, 0);
    return !isFull;
  };
  for (const name of names) add(name);
  return [...added.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function limitOf(parent: string | null, { children, childrenOfTop }: HostLimits): number {
  return parent === null || parent.includes('.') || parent.startsWith('~') ? children : childrenOfTop;
}
