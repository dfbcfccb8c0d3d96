import cors from '@fastify/cors';
import { type LoggerService, UnsupportedMediaTypeException } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  AppError,
  BadHttp,
  createBoundedServer,
  type Health,
  type Logger,
  settleRequestHead,
  strictTransportLine,
} from '@hopcount/runtime';
import fastify, { type FastifyInstance, type FastifyReply, LogController } from 'fastify';

import type { ApiConfig } from './api.config.js';
import { ApiModule } from './api.module.js';
import type { ApiResources } from './api-resources.js';
import { readDashboardFiles } from './dashboard/dashboard-files.js';
import { serveDashboard } from './dashboard/serve-dashboard.js';
import { askBeforeBody } from './http/ask-before-body.js';
import { renderClientError } from './http/client-error.js';
import { allowedOrigin, corsOptions } from './http/cors.js';
import { findOperations } from './http/find-operations.js';
import { takeJson } from './http/json-body.js';
import { takeLines } from './http/lines-body.js';
import { OperationGuard } from './http/operation.guard.js';
import type { RoutedOperation } from './http/operation.js';
import { addRequestHooks, requestIdOf } from './http/request-hooks.js';
import type { RouteTable } from './http/route-table.js';
import { sendProblem } from './http/send-problem.js';
import { toProblem } from './http/to-problem.js';
import { shedRequests } from './limits/shed-requests.js';
import { createDocument } from './openapi/document.js';
import { serveDocument } from './openapi/serve-document.js';
import { serveEarlierInvites } from './users/invite-page.js';

const ONE_HOST =
  'Name one host: send one Host header, and in an absolute target http or https and a host without a user.';
const MAX_BODY_BYTES = 256 * 1_024;
const TIMEOUTS = { requestTimeout: 30_000, keepAliveTimeout: 72_000 };
/** A code of 256 characters, each written as three percent-escaped bytes and more. */
const MAX_PARAM_LENGTH = 4_096;

/** The whole HTTP application, initialised but not listening. */
export async function createApi(
  config: ApiConfig,
  resources: ApiResources,
  logger: Logger,
): Promise<NestFastifyApplication> {
  const server = createServer(logger, config, resources.routes);
  addRequestHooks(server, { ...resources, logger, hasReplica: config.databaseReadUrl !== undefined });
  await server.register(cors, corsOptions(config.corsOrigins));
  followHealth(server, resources.health);
  shedRequests(server, resources.admission);
  const app = await NestFactory.create<NestFastifyApplication>(
    ApiModule.register(resources),
    new FastifyAdapter(server as never),
    { bodyParser: false, abortOnError: false, logger: nestLogger(logger) },
  );
  const operations = findOperations(ApiModule);
  const { identities, limits, settings } = resources;
  askBeforeBody(server, operations, new OperationGuard(identities, limits, settings));
  raiseBodyLimits(server, operations);
  takeJson(server, operations);
  takeFiles(server, operations);
  takeLines(server, operations);
  await serveDocument(server, createDocument(operations));
  serveEarlierInvites(server);
  const { pathname } = new URL(config.apiPublicUrl ?? 'http://unknown');
  const basePath = pathname.replace(/\/*$/, '/');
  serveDashboard(server, readDashboardFiles(), { basePath, hasProvider: config.oidcIssuer !== undefined });
  await app.init();
  return app;
}

function createServer(
  logger: Logger,
  { corsOrigins, apiPublicUrl = '' }: Pick<ApiConfig, 'corsOrigins' | 'apiPublicUrl'>,
  routes: RouteTable,
): FastifyInstance {
  const refused = new WeakSet<object>();
  const strict = strictTransportLine(apiPublicUrl);
  const badHttp = new BadHttp((status, url) =>
    renderClientError(status, routes.methodsOf(toNewestVersion({ url })), strict),
  );
  const server = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    // Of what is logged about requests only Fastify's warnings of misused replies do not name theirs: no reason for a logger each.
    childLoggerFactory: (log) => log,
    bodyLimit: MAX_BODY_BYTES,
    genReqId: requestIdOf,
    requestIdHeader: false,
    rewriteUrl: (request) => {
      if (!settleRequestHead(request)) refused.add(request);
      return toNewestVersion(request);
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: true },
    clientErrorHandler: badHttp.refuse,
    // Addresses the router cannot decode are answered before any hook or filter.
    frameworkErrors: (error, request, reply) => {
      const answer = reply as unknown as FastifyReply;
      const origin = allowedOrigin(request, corsOrigins);
      if (origin !== undefined) answer.header('access-control-allow-origin', origin);
      sendProblem(answer, toProblem(error, request.id).problem);
    },
    forceCloseConnections: 'idle',
    serverFactory: (handle) => createBoundedServer(TIMEOUTS, handle),
  }) as unknown as FastifyInstance;
  server.addHook('onRequest', ({ raw }, reply, next) => {
    if (!refused.has(raw)) return next();
    void reply.header('connection', 'close');
    next(new AppError('invalid-data', ONE_HOST, { details: { invalidElements: ['Host'] } }));
  });
  badHttp.follow(server.server);
  return server;
}

/** Of single routes; Nest, which registers them later, knows no limit of a route. */
function raiseBodyLimits(server: FastifyInstance, operations: readonly RoutedOperation[]): void {
  const limits = new Map(operations.map(({ method, path, maxBodyBytes }) => [`${method} ${path}`, maxBodyBytes]));
  server.addHook('onRoute', (route) => {
    const limit = limits.get(`${String(route.method)} ${route.url}`);
    if (limit !== undefined) route.bodyLimit = limit;
  });
}

/** A file reaches its handler as the stream it comes as; on other routes its type stays unknown. */
function takeFiles(server: FastifyInstance, operations: readonly RoutedOperation[]): void {
  const taking = new Map(operations.map(({ method, path, takesFile = [] }) => [`${method} ${path}`, takesFile]));
  const types = [...new Set([...taking.values()].flat())];
  server.addContentTypeParser(types, (request, body, done) => {
    const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? '';
    const isTaken = taking.get(`${request.method} ${request.routeOptions.url}`)?.includes(type) === true;
    done(isTaken ? null : new UnsupportedMediaTypeException(), body);
  });
}

/** v1, v2 and v3 are one API, and so is the health that has no version: clients of any of them are served. */
function toNewestVersion({ url = '/' }: { url?: string | undefined }): string {
  return url.replace(/^\/rest\/(v[12]\/|(?=health([?/]|$)))/, '/rest/v3/');
}

/** Closing connections that look idle could cut an answer short that is still on its way; this ends them after it. */
function followHealth(server: FastifyInstance, health: Pick<Health, 'started' | 'isDraining'>): void {
  server.addHook('onListen', (done) => {
    health.started();
    done();
  });
  server.addHook('onSend', (_request, reply, _payload, next) => {
    if (health.isDraining) reply.header('connection', 'close');
    next();
  });
}

/** Nest's own lines: what it maps at start is of interest only while debugging. */
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
