import { REST_HOST } from '@hopcount/contracts';
import { parentOf } from '@hopcount/hosts';

export interface NewHost {
  name: string;
  parent: string | null;
  /** Of those that are new, too. */
  children: number;
}

export interface HostPlan {
  hosts: NewHost[];
  /** Hosts that were there → how many children they get. */
  grown: Map<string, number>;
}

/**
 * Which rows the names of a fold need: they themselves and their ancestors. Beyond the limit of a parent its child `~rest` comes instead,
 * once, and from then on all that is new below counts there (host_place() of PostgreSQL): the parent stays exact.
 * @param childrenOf of every ancestor that is there; null: the top
 * @param makesRest false: beyond the limit nothing comes
 */
export function planHosts(
  names: readonly string[],
  childrenOf: ReadonlyMap<string | null, number>,
  limitOf: (parent: string | null) => number,
  makesRest = true,
): HostPlan {
  const children = new Map(childrenOf);
  const closed = new Set<string | null>();
  const added = new Map<string, NewHost>();
  const grown = new Map<string, number>();
  const make = (name: string, parent: string | null) => {
    added.set(name, { name, parent, children: 0 });
    children.set(name, 0).set(parent, (children.get(parent) ?? 0) + 1);
    if (parent === null) return;
    const above = added.get(parent);
    if (above === undefined) grown.set(parent, (grown.get(parent) ?? 0) + 1);
    else above.children += 1;
  };
  const add = (name: string): boolean => {
    if (children.has(name)) return true;
    const parent = parentOf(name) ?? null;
    if ((parent !== null && !add(parent)) || closed.has(parent)) return false;
    const isFull = (children.get(parent) ?? 0) >= limitOf(parent);
    if (isFull) closed.add(parent);
    if (!isFull) make(name, parent);
    else if (makesRest) make(restOf(parent), parent);
    return !isFull;
  };
  for (const name of names) add(name);
  return { hosts: [...added.values()], grown };
}

function restOf(parent: string | null): string {
  return parent === null ? REST_HOST : `${parent}.${REST_HOST}`;
}
