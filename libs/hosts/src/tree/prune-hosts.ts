import { setImmediate } from 'node:timers/promises';

import { ROOT } from './host-nodes.js';
import { HostTree } from './host-tree.js';

/** A few milliseconds' work. */
const NODES_AT_A_TIME = 2_048;

/**
 * A new tree without the names that were not seen, nor is one below them; their visits are lumped, so all others have the sums they
 * had. Of names that were lumped before, the ids are to be defined again.
 *
 * Requests are answered in between, from the old tree; nothing may be added to it until this has ended.
 */
export async function pruneHosts(tree: HostTree, isSeen: (id: number) => boolean): Promise<HostTree> {
  const { nodes } = tree;
  const isKept = new Uint8Array(nodes.size);
  for (let node = nodes.size - 1; node > ROOT; node -= 1) {
    if (node % NODES_AT_A_TIME === 0) await setImmediate();
    // Children come after their parents: all below it were looked at.
    const id = nodes.idOf(node);
    if (id !== 0 && isSeen(id)) isKept[node] = 1;
    if (isKept[node] === 1) isKept[nodes.parentOf(node)] = 1;
  }
  const pruned = new HostTree(tree.classes, nodes.limits);
  for (let node = ROOT; node < nodes.size; node += 1) {
    if (node % NODES_AT_A_TIME === 0) await setImmediate();
    copyNode(tree, node, isKept[node] === 1, pruned);
  }
  return pruned;
}

function copyNode(from: HostTree, node: number, isKept: boolean, to: HostTree): void {
  const name = from.nodes.nameOf(node);
  const id = from.nodes.idOf(node);
  if (isKept && id !== 0) to.define(id, name);
  for (let visitClass = 0; visitClass < from.classes; visitClass += 1) {
    const visits = from.visitsOf(node, visitClass, 'self');
    if (visits === 0) continue;
    if (isKept) to.addByName(name, visitClass, visits);
    else to.lump(name, visitClass, visits);
  }
}
