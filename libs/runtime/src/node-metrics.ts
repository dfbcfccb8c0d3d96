import { totalmem } from 'node:os';
import { createHistogram } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';

/** Each sample wakes the process: at prom-client's 10 ms that is half of what an idle one does. */
const SAMPLE_MS = 250;
const NEVER_MS = 86_400_000;
const NOT_SAMPLED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

/** prom-client's metrics of Node; in place of its samples of the event loop, which are too dear, samples that say how late they were. */
export function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of NOT_SAMPLED) registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
  const delay = createHistogram();
  let sampledAtMs = performance.now();
  setInterval(() => {
    const nowMs = performance.now();
    delay.record(Math.max(1, Math.round((nowMs - sampledAtMs - SAMPLE_MS) * 1e6)));
    sampledAtMs = nowMs;
  }, SAMPLE_MS).unref();
  new Gauge({
    name: 'hopcount_event_loop_delay_p99_seconds',
    help: 'How late a timer fires, 99 of 100 of them, since this was last asked.',
    registers: [registry],
    collect() {
      this.set(delay.count === 0 ? 0 : delay.percentile(99) / 1e9);
      delay.reset();
    },
  });
  declareMemoryLimits(registry);
}

/** Beyond either of them the process is killed, by the system or by V8. */
function declareMemoryLimits(registry: Registry): void {
  const registers = [registry];
  const [machine, container] = [totalmem(), process.constrainedMemory()];
  new Gauge({
    name: 'hopcount_memory_limit_bytes',
    help: 'Memory that this process may have: that of its container, else of the machine.',
    registers,
  }).set(container > 0 ? Math.min(container, machine) : machine);
  new Gauge({
    name: 'hopcount_heap_limit_bytes',
    help: "Most bytes of V8's heap, of which nodejs_heap_size_used_bytes are used.",
    registers,
  }).set(getHeapStatistics().heap_size_limit);
}
