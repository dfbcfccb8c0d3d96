import { z } from 'zod';

const pids = z.array(z.int().positive());

/** `<data dir>/stack.json`: how to reach a running local stack; written when all of it is ready. */
export const stackFileSchema = z.object({
  gatewayUrl: z.string(),
  apiUrl: z.string(),
  /** Where each consumer and worker answers /livez, /readyz and /metrics. */
  consumerUrls: z.array(z.string()),
  workerUrls: z.array(z.string()),
  apiKey: z.string(),
  databaseUrl: z.string(),
  redisUrl: z.string(),
  kafkaBrokers: z.string(),
  processes: z.object({
    gateway: pids,
    consumer: pids,
    worker: pids,
    api: pids,
    kafka: pids,
    postgres: pids,
    redis: pids,
  }),
});

export type StackFile = z.infer<typeof stackFileSchema>;
