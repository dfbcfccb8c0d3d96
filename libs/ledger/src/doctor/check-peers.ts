import type { Database } from '@hopcount/postgres';

import { type Check, ok, type Said, warn } from './check.js';

/** They say every 5 s that all is there. */
const PATIENCE_SECONDS = 60;
const READ_PEERS = `SELECT dc, extract(epoch FROM now() - as_of)::float8 AS seconds, refused::float8 AS refused
  FROM host_peers ORDER BY dc`;

/** Whether counts of hosts of other data centres are up to date here. Nothing is said where there are none. */
export async function checkPeers(database: Database): Promise<Check[]> {
  const peers = await database.query<{ dc: string; seconds: number | null; refused: number }>(READ_PEERS);
  if (peers.length === 0) return [];
  const found = peers
    .map(({ dc, seconds, refused }) => {
      const age = seconds === null ? 'nothing known yet' : `${Math.round(seconds)} s old`;
      return refused === 0 ? `${dc} ${age}` : `${dc} ${age}, ${refused} records refused`;
    })
    .join('; ');
  const refusing = peers.filter(({ refused }) => refused > 0);
  const said: Said = {
    found: refusing.length === 0 ? 'peers' : 'peers-refused',
    values: {
      ages: peers.map(({ dc, seconds }) => `${dc} ${seconds === null ? '–' : `${Math.round(seconds)} s`}`).join('; '),
      ...(refusing.length > 0 && { refused: refusing.map(({ dc, refused }) => `${dc} ${refused}`).join('; ') }),
    },
  };
  const isLate = peers.some(({ seconds }) => seconds === null || seconds > PATIENCE_SECONDS);
  if (!isLate && refusing.length === 0) return [ok('data centres', found, said)];
  const advice = isLate
    ? 'See that workers run here and there, and that those here reach the brokers of HOST_PEERS; "hopcount hosts forget-peer" takes away one that is no more.'
    : 'See the log of the worker: a peer is not what HOST_PEERS calls it, is of another version, or counts more than is kept of it.';
  return [warn('data centres', found, advice, { ...said, advice: isLate ? 'reach-peers' : 'see-worker-log-of-peers' })];
}
