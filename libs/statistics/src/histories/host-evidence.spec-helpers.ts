import { HOST_SCOPES } from '@hopcount/contracts';
import { HostFold, type InstantRange, QuietHosts } from '@hopcount/ledger';
import type { Ledger, RandomSource } from '@hopcount/ledger/spec-helpers';
import { expect } from '@jest/globals';

import type { ReadArchive } from '../archive.spec-helpers.js';
import { HostSeries } from '../hosts/host-series.js';
import { exactnessOf } from '../read/exactness.js';
import { type ScopedVisit, seriesOf, totalsOf, valueOf } from './scope-model.spec-helpers.js';

/** Visits of hosts, against a count of the visits. */
export class HostEvidence {
  readonly happened = { hosts: 0, hostsInFiles: 0, hostsFolded: 0, hostsQuiet: 0, hostsInexact: 0 };
  readonly #series: HostSeries;
  readonly #fold: HostFold;
  /** All hosts, whenever they had their last visit. */
  readonly #quiet: QuietHosts;

  constructor(
    { database }: Ledger,
    { files }: ReadArchive,
    private readonly random: RandomSource,
  ) {
    this.#series = new HostSeries(database, files);
    this.#fold = new HostFold(database);
    this.#quiet = new QuietHosts(database, { days: -36_500 });
  }

  /** Two names of a kind side by side. */
  async expect(visits: readonly ScopedVisit[], range: InstantRange, starts: readonly number[]): Promise<void> {
    const { random } = this;
    const step = random.below(3);
    if (step === 0) this.happened.hostsFolded += (await this.#fold.fold()).folded;
    if (step === 1) this.happened.hostsQuiet += (await this.#quiet.move()).rows;
    const kind = random.pick(['target', 'referrer', 'short'] as const);
    const scope = random.pick(HOST_SCOPES);
    const nameOf = (visit: ScopedVisit) => valueOf(visit, `${kind}Name`);
    const names = ['com', visits.length === 0 ? 'net' : nameOf(random.pick(visits))];
    const isMeant = (name: string, host: string) => {
      if (scope === 'children') return host.startsWith(`${name}.`) && !host.slice(name.length + 1).includes('.');
      return (scope !== 'below' && host === name) || (scope !== 'self' && host.startsWith(`${name}.`));
    };
    const answer = await this.#series.read({ kind, names, scope, ...range, starts });
    const { hosts, unknown, readFrom } = answer;
    const ofAllTime = names.map((name) => visits.filter((visit) => isMeant(name, nameOf(visit))).length);
    const { exact } = exactnessOf(answer);
    expect(answer.compared.filter(({ rows, buckets }) => rows.visits !== buckets.visits)).toEqual([]);
    this.happened.hostsInexact += exact ? 0 : 1;
    if (exact)
      expect([kind, names, scope, hosts.map(({ allTime }) => allTime.visits)]).toEqual([kind, names, scope, ofAllTime]);
    const expected = names.map((name) => {
      const isIn = ({ occurredAtMs }: ScopedVisit) => occurredAtMs >= range.from && occurredAtMs < range.to;
      const inside = visits.filter((visit) => isIn(visit) && isMeant(name, nameOf(visit)));
      const { visits: count, byClass } = totalsOf(inside);
      return { totals: { visits: count, byClass }, points: seriesOf(inside, starts).map((point) => point.visits) };
    });
    const question = [kind, names, scope, range];
    const found = hosts.map(({ totals, points }) => ({ totals, points }));
    expect({ question, found, unknown }).toEqual({ question, found: expected, unknown: [] });
    this.happened.hosts += expected.some(({ totals }) => totals.visits > 0) ? 1 : 0;
    this.happened.hostsInFiles += readFrom.files > 0 ? 1 : 0;
  }
}
