import { Counter, Gauge, Histogram, Registry } from 'prom-client';

import { endedConnections } from './bounded-server.js';
import { collectNodeMetrics } from './node-metrics.js';
import { droppedLogLines } from './log-output.js';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** One registry per process; each lib declares its metrics in one file and registers them here. */
export function createMetricsRegistry(options: { process: string; name: string; version: string }): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process: options.process, process_name: options.name });
  collectNodeMetrics(registry);
  new Gauge({
    name: 'hopcount_build_info',
    help: 'Always 1: the version of this process as a label, to be joined to its other metrics.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version: options.version }, 1);
  new Counter({
    name: 'hopcount_log_lines_dropped_total',
    help: 'Log lines dropped because stdout did not take them: its reader is slow, or the disk is full.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(droppedLogLines());
    },
  });
  new Counter({
    name: 'hopcount_connections_ended_total',
    help: 'Connections this process ended: the client read nothing of an answer for a minute (unread), or it had the most requests when too many were pending (waiting).',
    labelNames: ['reason'],
    registers: [registry],
    collect() {
      this.reset();
      for (const [reason, count] of Object.entries(endedConnections())) this.inc({ reason }, count);
    },
  });
  return registry;
}

/** Declares metrics in a registry: the name, what it tells, (a histogram's buckets,) the labels. */
export function metricsIn(registry: Registry) {
  const registers = [registry];
  return {
    counter: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter<Label>({ name, help, labelNames, registers }),
    gauge: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge<Label>({ name, help, labelNames, registers }),
    histogram: <Label extends string = never>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
      new Histogram<Label>({ name, help, buckets, labelNames, registers }),
  };
}
