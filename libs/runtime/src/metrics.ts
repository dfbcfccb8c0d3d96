import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** One registry per process; each lib declares its metrics in one file and registers them here. */
export function createMetricsRegistry(options: { process: string }): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ process: options.process });
  collectDefaultMetrics({ register: registry });
  return registry;
}
