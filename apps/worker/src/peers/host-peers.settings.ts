import { DATA_CENTRE, HOST_STATE_TOPIC, MAX_HOST_PEERS } from '@hopcount/contracts';
import { AppError, env, type KafkaServers } from '@hopcount/runtime';
import { z } from 'zod';

/** Another data centre, whose counts of hosts are read from its own brokers. */
export interface HostPeer {
  dc: string;
  brokers: string[];
  topic: string;
}

/** `paris=kafka-1:9092,kafka-2:9092`, after a `/` its topic if that is not called as usual; `;` between peers. */
const PEER = /^(?<dc>[^=]+)=(?<brokers>[\w.-]+:\d{1,5}(?:,[\w.-]+:\d{1,5})*)(?:\/(?<topic>[\w.-]{1,249}))?$/;

/** `paris=scram-sha-512:user:password`, `;` between peers. */
const LOGIN = /^(?<dc>[^=]+)=(?<mechanism>plain|scram-sha-256|scram-sha-512):(?<username>[^:]+):(?<password>.+)$/;

type Login = NonNullable<KafkaServers['login']>;

const hostPeersLogin = z
  .string()
  .default('')
  .transform((text, context) => {
    const logins = new Map<string, Login>();
    for (const [nth, part] of text.split(';').entries()) {
      if (part.trim() === '') continue;
      const { dc = '', ...login } = LOGIN.exec(part.trim())?.groups ?? {};
      // Not said as it is: it is a secret.
      if (!DATA_CENTRE.test(dc))
        context.addIssue({ code: 'custom', message: `login ${nth + 1}: name=mechanism:user:password` });
      else if (logins.has(dc)) context.addIssue({ code: 'custom', message: `two logins of ${dc}` });
      else logins.set(dc, { ...login } as unknown as Login);
    }
    return logins;
  });

/**
 * How a peer's brokers are reached. Never with the login at the own ones: peers would have it, and whoever answers in their place.
 * @throws AppError `invalid-config`: logins of others
 */
export function peerServers(
  peers: readonly HostPeer[],
  config: { hostPeersLogin: ReadonlyMap<string, Login>; hostPeersTls?: boolean | undefined; kafkaTls: boolean },
): Map<string, KafkaServers> {
  const stranger = [...config.hostPeersLogin.keys()].find((dc) => peers.every((peer) => peer.dc !== dc));
  if (stranger !== undefined) {
    throw new AppError('invalid-config', `HOST_PEERS_LOGIN names "${stranger}", which HOST_PEERS does not.`);
  }
  const tls = config.hostPeersTls ?? config.kafkaTls;
  return new Map(
    peers.map(({ dc, brokers }) => {
      const login = config.hostPeersLogin.get(dc);
      return [dc, { brokers, tls, ...(login === undefined ? {} : { login }) }];
    }),
  );
}

const hostPeers = z
  .string()
  .default('')
  .transform((text, context): HostPeer[] => {
    const peers: HostPeer[] = [];
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    for (const part of text.split(';').map((one) => one.trim())) {
      if (part === '') continue;
      const { dc = '', brokers = '', topic = HOST_STATE_TOPIC } = PEER.exec(part)?.groups ?? {};
      if (DATA_CENTRE.test(dc)) peers.push({ dc, brokers: brokers.split(','), topic });
      else refuse(`"${part}" is not name=host:port,host:port or name=host:port/topic`);
    }
    if (new Set(peers.map(({ dc }) => dc)).size < peers.length) refuse('each peer once');
    if (peers.length > MAX_HOST_PEERS) refuse(`at most ${MAX_HOST_PEERS} peers`);
    return peers;
  });

/** Several data centres count by host; nothing of it happens without peers. */
export const hostPeersSettings = {
  /** What this one is called. Its database keeps the name: it is never another one's. */
  DATACENTER: z.string().regex(DATA_CENTRE, 'a small letter, then at most 31 of a-z, 0-9 and -').default('main'),
  HOST_PEERS: hostPeers,
  HOST_PEERS_LOGIN: hostPeersLogin,
  /** Unset: as at the own brokers. */
  HOST_PEERS_TLS: env.flag(false).unwrap().optional(),
  /** In which this one says what it counted. */
  HOST_STATE_TOPIC: z
    .string()
    .regex(/^[\w.-]{1,249}$/, 'a name of a topic')
    .default(HOST_STATE_TOPIC),
};
