import { wrapRequests } from '../client/kafkajs-internals.js';
import { encodeProduceBody, type ProduceArguments } from './encode-produce.js';
import { withBundlesOpened } from './message-bundle.js';

interface ProduceRequest {
  apiVersion: number;
  encode: () => Promise<unknown>;
}

interface FullArguments extends ProduceArguments {
  compression?: number;
  transactionalId?: string | null;
  producerId?: unknown;
}

interface Built {
  request: ProduceRequest;
  response: unknown;
}

const FIRST_VERSION = 3;
const LAST_VERSION = 7;

let installed = false;

/**
 * Makes this process's kafkajs encode Produce requests with {@link encodeProduceBody}: kafkajs builds
 * each record from encoders of 512 zeroed bytes, and copies its list of messages for each (decision 0038). Everything else stays
 * kafkajs's: connections, metadata, retries, timeouts, responses. Only plain requests are taken over
 * (no compression, transaction or producer id, API version 3 to 7); kafkajs still encodes the others.
 *
 * It rests on an internal of kafkajs 2.2.4 (the last release, of 2023). Where that is not found,
 * nothing is replaced and publishing merely costs what it did. The spec holds our bytes against
 * kafkajs's own.
 * @returns whether plain requests are encoded here, and bundles opened, from now on
 */
export function installFastProduce(): boolean {
  if (installed) return true;
  installed = wrapRequests('produce', makeRequest);
  return installed;
}

function makeRequest(given: FullArguments, build: (args: FullArguments) => Built): Built {
  const args = { ...given, topicData: withBundlesOpened(given.topicData) };
  const built = build(args);
  return isPlain(built.request, args) ? { ...built, request: withFastBody(built.request, args) } : built;
}

function isPlain(request: ProduceRequest, args: FullArguments): boolean {
  const { apiVersion } = request;
  const plainProducer = !args.transactionalId && !args.compression && Number(args.producerId ?? -1) === -1;
  return (
    plainProducer && apiVersion >= FIRST_VERSION && apiVersion <= LAST_VERSION && args.topicData.every(isStampedNow)
  );
}

function isStampedNow({ partitions }: ProduceArguments['topicData'][number]): boolean {
  return partitions.every(({ messages }) =>
    messages.every((message) => (message as { timestamp?: unknown }).timestamp === undefined),
  );
}

function withFastBody(request: ProduceRequest, args: ProduceArguments): ProduceRequest {
  // What kafkajs takes for one of its encoders: the bytes under both of the names it reads.
  const encode = () => {
    const bytes = encodeProduceBody(args);
    return Promise.resolve({ buf: bytes, buffer: bytes, size: () => bytes.length });
  };
  return { ...request, encode };
}
