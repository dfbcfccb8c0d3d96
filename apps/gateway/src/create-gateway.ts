import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

import type { Logger } from '@hopcount/runtime';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';

import type { GatewayConfig } from './gateway.config.js';
import { GatewayModule } from './gateway.module.js';
import type { GatewayResources } from './gateway-resources.js';
import { PAGES } from './redirect/pages.js';
import { RedirectHandler } from './redirect/redirect-handler.js';
import { registerRoutes, sendPage } from './redirect/redirect.route.js';

/** A 64 KB User-Agent is a visit like any other; Node's own limit is 16 KB for all headers. */
const MAX_HEADER_BYTES = 128 * 1_024;
/** A code of 256 characters, each of three percent-escaped bytes, and more. */
const MAX_PARAM_LENGTH = 4_096;
const HEADERS_TIMEOUT_MS = 15_000;

/** The whole application, initialised but not listening. */
export async function createGateway(
  config: GatewayConfig,
  resources: GatewayResources,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const server = createHttpServer();
  const handler = new RedirectHandler({ ...resources, logger }, config);
  // Before Nest adds its hooks to the instance: the redirect path runs none of them.
  await server.register((scope, _, done) => {
    registerRoutes(scope, { handler, health: resources.health, metrics: resources.registry });
    done();
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.register(resources),
    new FastifyAdapter(server as never),
    { bodyParser: false, abortOnError: false, logger: nestLogger(logger) },
  );
  await app.init();
  return app;
}

function createHttpServer(): FastifyInstance {
  return fastify({
    logger: false,
    serverFactory: (handle) => methodGuard(handle),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Addresses the router cannot decode: no link can be meant.
    frameworkErrors: (_error, _request, reply) => sendPage(reply as unknown as FastifyReply, PAGES.notFound),
    clientErrorHandler: (error, socket) => refuseBadHttp(error, socket as Socket),
    forceCloseConnections: 'idle',
    // A request on an open connection is answered while we stop (with `connection: close`), not refused.
    return503OnClosing: false,
  });
}

/** Only GET and HEAD mean something here; the rest is refused before anything reads a body. */
function methodGuard(handle: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const options = { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false, headersTimeout: HEADERS_TIMEOUT_MS };
  return createServer(options, (request, response) => {
    if (request.method === 'GET' || request.method === 'HEAD') return handle(request, response);
    const { status, headers, body } = PAGES.methodNotAllowed;
    response.writeHead(status, [...headers, 'connection', 'close']);
    response.end(body);
  });
}

function refuseBadHttp(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const tooLarge = error.code === 'HPE_HEADER_OVERFLOW';
  const status = tooLarge ? '431 Request Header Fields Too Large' : '400 Bad Request';
  socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
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
