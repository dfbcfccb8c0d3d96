import type { IncomingMessage, Server, ServerResponse } from 'node:http';

import {
  BadHttp,
  createBoundedServer,
  type Logger,
  secretsOf,
  settleRequestHead,
  STRICT_TRANSPORT,
  strictTransportLine,
  withoutBody,
} from '@hopcount/runtime';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import fastify, { type FastifyInstance } from 'fastify';

import type { Handle } from './front/exchange.js';
import { LightFront } from './front/light-front.js';
import type { GatewayConfig } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import type { GatewayResources } from './gateway-resources.js';
import { GuardedLinks } from './guard/guarded-links.js';
import { admitRequests } from './rate-limit/admit-requests.js';
import { AnswerWriter } from './redirect/answer-writer.js';
import { RedirectHandler } from './redirect/redirect-handler.js';
import { RequestFacts } from './redirect/request-facts.js';
import { RequestOrigin } from './redirect/request-origin.js';
import { frontDoor, isRedirect, registerRoutes } from './redirect/redirect.route.js';

/** A 64 KB User-Agent is a visit like any other; Node's own limit is 16 KB for all headers. */
const MAX_HEADER_BYTES = 128 * 1_024;
const HEADERS_TIMEOUT_MS = 15_000;

/** Nothing that follows on the connection is believed, either. */
const REFUSED_HEAD = ['connection', 'close', 'content-length', '0'];

type NodeHandle = (request: IncomingMessage, response: ServerResponse) => void;

/** The whole application, initialised but not listening. */
export async function createGateway(
  config: GatewayConfig,
  resources: GatewayResources,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const origin = new RequestOrigin(config);
  const answers = new AnswerWriter({ ...resources, origin, logger });
  const guarded = new GuardedLinks({ ...resources, answers }, origin, secretsOf(config));
  const facts = new RequestFacts(resources, origin);
  const handler = new RedirectHandler({ ...resources, answers, guarded, facts }, origin, config);
  const limited = { ...resources, origin, answers };
  const handle: Handle = (request, response) => handler.handle(request, response);
  const logged = resources.requestLog?.around(handle) ?? handle;
  const admitted = admitRequests(resources.traces?.around(logged) ?? logged, limited);
  const redirect: Handle = (request, response) => {
    request.arrivedMs = performance.now();
    admitted(request, response);
  };
  const links = {
    redirect,
    submit: admitRequests<IncomingMessage, ServerResponse>((...request) => guarded.submit(...request), limited),
    isSecure: (request: IncomingMessage) => origin.scheme(request) === 'https',
  };
  const server = createHttpServer(links, config, (http) => {
    new LightFront(http, { ...resources, isRedirect, handle: links.redirect });
  });
  registerRoutes(server, resources.health, (request) =>
    resources.robots.bodyFor(resources.resolver.hosts.domainOf(origin.host(request))),
  );
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.register(resources),
    new FastifyAdapter(server as never),
    { bodyParser: false, abortOnError: false, logger: nestLogger(logger) },
  );
  await app.init();
  return app;
}

function createHttpServer(
  links: Parameters<typeof frontDoor>[0],
  { publicScheme }: Pick<GatewayConfig, 'publicScheme'>,
  front: (http: Server) => void,
): FastifyInstance {
  const options = { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false, headersTimeout: HEADERS_TIMEOUT_MS };
  const settled = (handle: NodeHandle): NodeHandle => {
    return (request, response) => {
      if (settleRequestHead(request)) handle(request, response);
      else response.writeHead(400, [...REFUSED_HEAD, ...(links.isSecure(request) ? STRICT_TRANSPORT : [])]).end();
    };
  };
  const badHttp = new BadHttp(withoutBody(strictTransportLine(publicScheme)));
  return fastify({
    logger: false,
    serverFactory: (router) => {
      const server = createBoundedServer(options, settled(frontDoor(links, router)));
      badHttp.follow(server);
      front(server);
      return server;
    },
    clientErrorHandler: badHttp.refuse,
    forceCloseConnections: 'idle',
  });
}

function nestLogger(logger: Logger): LoggerService {
  return {
    log: (message: unknown) => logger.debug(String(message)),
    debug: (message: unknown) => logger.debug(String(message)),
    verbose: (message: unknown) => logger.trace(String(message)),
    warn: (message: unknown) => logger.warn(String(message)),
    error: (message: unknown) => logger.error(String(message)),
    fatal: (message: unknown) => logger.fatal(String(message)),
  };
}
