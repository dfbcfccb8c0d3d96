import type { HostScope } from '@hopcount/contracts';

import { type HostNodes, ROOT } from './host-nodes.js';
import type { HostSums, HostTree } from './host-tree.js';

export interface HostRow extends HostSums {
  /** As it is kept. */
  name: string;
  /** What rows are ordered by. */
  total: number;
}

/** The last row of a page: the next one goes on behind it. */
export type HostPosition = Pick<HostRow, 'total' | 'id' | 'name'>;

export interface HostListQuery {
  /** Rows at most. */
  limit: number;
  /** Classes that are added up for the order; all when it is left out. */
  classes?: readonly number[];
  after?: HostPosition;
}

/** Children of a name, those with the most visits in their subtrees first, then by id (those without one by name). Undefined: the name has no node. */
export function listChildren(tree: HostTree, name: string, query: HostListQuery): HostRow[] | undefined {
  return listUnder(tree, name, query, false);
}

/** All below a name, at any depth, in that order. */
export function listBelow(tree: HostTree, name: string, query: HostListQuery): HostRow[] | undefined {
  return listUnder(tree, name, query, true);
}

/**
 * Sites, each with the visits of all its names; so none counts twice, although one may stand below another (`amazonaws.com` has
 * public suffixes below it). What has no site is its own.
 */
export function listSites(tree: HostTree, query: HostListQuery): HostRow[] {
  const { nodes } = tree;
  const classes = classesOf(tree, query);
  const best = new Best(nodes, query);
  for (let node = 1; node < nodes.size; node += 1) {
    if (!nodes.isSite(node) || !best.mayTake(sumOf(tree, node, classes, 'subtree'))) continue;
    const total = classes.reduce((sum, visitClass) => sum + siteVisits(tree, node, visitClass), 0);
    if (total > 0 && best.mayTake(total)) best.offer(node, total);
  }
  return best.kept.map(({ node, total }) => ({
    ...tree.sumsOf(node, 'self'),
    visits: classesOf(tree, {}).map((visitClass) => siteVisits(tree, node, visitClass)),
    name: nodes.nameOf(node),
    total,
  }));
}

function siteVisits(tree: HostTree, site: number, visitClass: number): number {
  if (tree.nodes.isSuffix(site)) return tree.visitsOf(site, visitClass, 'self');
  const others = tree.nodes.suffixesBelow(site);
  const visits = tree.visitsOf(site, visitClass, 'subtree');
  return others.reduce((sum, suffix) => sum - tree.visitsOf(suffix, visitClass, 'subtree'), visits);
}

function listUnder(tree: HostTree, name: string, query: HostListQuery, isDeep: boolean): HostRow[] | undefined {
  const { nodes } = tree;
  const start = nodes.find(name);
  if (start === undefined) return undefined;
  const classes = classesOf(tree, query);
  const best = new Best(nodes, query);
  const open = [nodes.firstChildOf(start)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (; node !== ROOT; node = nodes.nextSiblingOf(node)) {
      const total = sumOf(tree, node, classes, 'subtree');
      // None below it has more than it has itself.
      if (!best.mayTake(total)) continue;
      best.offer(node, total);
      if (isDeep) open.push(nodes.firstChildOf(node));
    }
  }
  return best.kept.map(({ node, total }) => ({ ...tree.sumsOf(node, 'subtree'), name: nodes.nameOf(node), total }));
}

function classesOf(tree: HostTree, { classes }: Pick<HostListQuery, 'classes'>): readonly number[] {
  return classes ?? Array.from({ length: tree.classes }, (_, visitClass) => visitClass);
}

function sumOf(tree: HostTree, node: number, classes: readonly number[], scope: HostScope): number {
  let sum = 0;
  for (const visitClass of classes) sum += tree.visitsOf(node, visitClass, scope);
  return sum;
}

/** Its name stays '' where it has an id. */
interface Ranked extends HostPosition {
  node: number;
}

/** The first few behind a position, in order, of what is offered in any order. */
class Best {
  readonly kept: Ranked[] = [];

  constructor(
    private readonly nodes: HostNodes,
    private readonly query: HostListQuery,
  ) {}

  mayTake(total: number): boolean {
    const last = this.kept[this.query.limit - 1];
    return this.query.limit > 0 && (last === undefined || total >= last.total);
  }

  offer(node: number, total: number): void {
    const id = this.nodes.idOf(node);
    const one = { node, total, id, name: id === 0 ? this.nodes.nameOf(node) : '' };
    if (this.query.after !== undefined && !isBefore(this.query.after, one)) return;
    let [from, to] = [0, this.kept.length];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (isBefore(this.kept[middle] as Ranked, one)) from = middle + 1;
      else to = middle;
    }
    this.kept.splice(from, 0, one);
    if (this.kept.length > this.query.limit) this.kept.pop();
  }
}

function isBefore(one: HostPosition, other: HostPosition): boolean {
  if (one.total !== other.total) return one.total > other.total;
  return one.id === other.id ? one.id === 0 && one.name < other.name : one.id < other.id;
}
