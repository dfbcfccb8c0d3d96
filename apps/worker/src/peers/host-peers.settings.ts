import { DATA_CENTRE, HOST_STATE_TOPIC, MAX_HOST_PEERS } from '@hopcount/contracts';
import { z } from 'zod';

/** Another data centre, whose counts of hosts are read from its own brokers. */
export interface HostPeer {
  dc: string;
  brokers: string[];
  topic: string;
}

/** `paris=kafka-1:9092,kafka-2:9092`, after a `/` its topic if that is not called as usual; `;` between peers. */
const PEER = /^(?<dc>[^=]+)=(?<brokers>[\w.-]+:\d{1,5}(?:,[\w.-]+:\d{1,5})*)(?:\/(?<topic>[\w.-]{1,249}))?$/;

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
  /** In which this one says what it counted. */
  HOST_STATE_TOPIC: z
    .string()
    .regex(/^[\w.-]{1,249}$/, 'a name of a topic')
    .default(HOST_STATE_TOPIC),
};
