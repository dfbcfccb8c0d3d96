import { z } from 'zod';

const pids = z.array(z.int().positive());
const urls = z.array(z.string());

/** `<data dir>/stack.json`: how to reach a running local stack; written when all of it is ready. */
export const stackFileSchema = z.object({
  gatewayUrl: z.string(),
  apiUrl: z.string(),
  /** The operations port of each process: /livez, /readyz with reasons, /metrics. */
  opsUrls: z.object({ gateway: urls, consumer: urls, worker: urls, api: urls }),
  apiKey: z.string(),
  databaseUrl: z.string(),
  /** Of PostgreSQL's superuser, as whom Hopcount never connects; absent where PostgreSQL runs elsewhere. */
  databaseAdminUrl: z.string().optional(),
  redisUrl: z.string(),
  kafkaBrokers: z.string(),
  /** As the workers and the api have it; absent: there is no archive. */
  archiveUrl: z.string().optional(),
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
