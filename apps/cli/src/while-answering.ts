import { setTimeout as sleep } from 'node:timers/promises';

import { inTime, type ServerToAsk, silentServers } from '@hopcount/runtime';

import { addressIn, type CliConfig } from './cli.config.js';
import { hangs } from './cli.errors.js';
import { withAnyCluster } from './connections.js';

/** `SSLRequest` of PostgreSQL, `ApiVersions` of Kafka without a client's name: both may come before a login. */
const HELLO = {
  PostgreSQL: Buffer.from('0000000804d2162f', 'hex'),
  Kafka: Buffer.from('0000000a0012000000000000ffff', 'hex'),
};
type Service = keyof typeof HELLO;

/** How long a server may give no sign of life: `lag` ends within 5 s, and this is said before a connection attempt fails. */
const SILENCE_MS = 2_000;
const LOOK_EVERY_MS = 500;
/** Brokers that are slower are not the first to be asked, where others are quicker. */
const FIRST_ANSWER_MS = 500;

/**
 * Runs what needs these services, and gives it up as soon as a server of them hangs. The clients' own limits add up to
 * minutes (kafkajs repeats each request, a statement of PostgreSQL may take half an hour), and they cannot tell a slow answer
 * from a process that hangs. So the servers are asked for a sign of life, over connections of their own, while the work runs.
 * @throws AppError `service-unreachable` that names the servers; what `work` throws
 */
export async function whileAnswering<Result>(
  config: CliConfig,
  services: readonly Service[],
  work: (config: CliConfig) => Promise<Result>,
): Promise<Result> {
  const used = services.includes('Kafka') ? await withQuickBrokers(config) : config;
  const over = new AbortController();
  const working = work(used);
  working.catch(() => undefined); // given up, it may still fail
  try {
    return await Promise.race([working, untilOneHangs({ config, used }, services, over.signal)]);
  } finally {
    over.abort();
  }
}

async function untilOneHangs(asked: Asked, services: readonly Service[], over: AbortSignal): Promise<never> {
  for (;;) {
    await sleep(LOOK_EVERY_MS, undefined, { signal: over });
    await Promise.all(services.map((service) => LOOKS[service](asked)));
  }
}

interface Asked {
  config: CliConfig;
  /** With those brokers alone that were quick. */
  used: CliConfig;
}

const LOOKS: Record<Service, (asked: Asked) => Promise<unknown>> = {
  PostgreSQL: async ({ config }) => {
    const { hostname, port } = new URL(addressIn(config, 'databaseUrl'));
    // Without a host it is a socket of this machine.
    if (hostname === '') return;
    expectAnswers('PostgreSQL', await silentOf('PostgreSQL', [`${hostname}:${port || '5432'}`]));
  },
  /** Those that are named, and those that the cluster counts as there: work that needs none that hangs is done by then. */
  Kafka: ({ config, used }) =>
    Promise.all([
      silentOf('Kafka', addressIn(config, 'kafkaBrokers')).then((silent) => expectAnswers('Kafka', silent)),
      advertisedBrokers(used).then(async (brokers) => expectAnswers('Kafka', await silentOf('Kafka', brokers))),
    ]),
};

/** kafkajs begins with any of the brokers, and one that hangs would keep it for 15 s. */
async function withQuickBrokers(config: CliConfig): Promise<CliConfig> {
  const named = addressIn(config, 'kafkaBrokers');
  const slow = await silentOf('Kafka', named, FIRST_ANSWER_MS);
  const quick = named.filter((broker) => !slow.includes(broker));
  return quick.length === 0 ? config : { ...config, kafkaBrokers: quick };
}

/** As those that answer name them. */
async function advertisedBrokers(config: CliConfig): Promise<string[]> {
  const asked = withAnyCluster(config, (admin) => admin.brokers());
  return inTime(asked, SILENCE_MS).catch(() => []); // the work says what is wrong
}

/** Addresses, `host:port`, of those that give no sign of life. */
export async function silentOf(service: Service, addresses: readonly string[], waitMs = SILENCE_MS): Promise<string[]> {
  const servers = addresses.map((address) => ({ ...serverAt(address), address, hello: HELLO[service] }));
  return (await silentServers(servers, waitMs)).map(({ address }) => address);
}

function serverAt(address: string): Omit<ServerToAsk, 'hello'> {
  const { hostname, port } = URL.parse(`tcp://${address}`) ?? { hostname: address, port: 0 };
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}

function expectAnswers(service: Service, silent: readonly string[]): void {
  if (silent.length > 0) throw hangs(service, silent, SILENCE_MS);
}
