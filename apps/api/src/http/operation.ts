import { applyDecorators, HttpCode, RequestMapping, RequestMethod, SetMetadata, UseInterceptors } from '@nestjs/common';
import type { ApiScope, ProblemCode } from '@hopcount/contracts';
import type { z } from 'zod';

import { ActingInterceptor } from './acting.interceptor.js';
import { LargePageInterceptor } from './large-page.interceptor.js';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Path = `/${string}`;

export interface OperationDescription<Answer extends z.ZodType | null = z.ZodType | null> {
  id: string;
  /** What who asks must be allowed to do; `user`: be signed in, whatever their role; `public`: nobody is asked for. */
  scope: ApiScope | 'user' | 'public';
  tag:
    | 'Short URLs'
    | 'Tags'
    | 'Domains'
    | 'Groups'
    | 'Visits'
    | 'Statistics'
    | 'Hosts'
    | 'Import and export'
    | 'Blocks'
    | 'Webhooks'
    | 'Alerts'
    | 'API keys'
    | 'Users'
    | 'Audit log'
    | 'Operations';
  summary: string;
  description?: string;
  /** What the handler gets from `@Query()` and `@Body()` is what these made of it. */
  query?: z.ZodObject;
  /** A query without `itemsPerPage` asks for all rows. */
  listsAll?: true;
  body?: z.ZodType<object>;
  /** Content types of a file that is the body; the handler gets it as a stream, and bounds it. */
  takesFile?: readonly string[];
  /** The body may also be lines of text, which the handler gets as a string; both also gzipped. */
  takesLines?: true;
  /** Whether it can be bound to the version the client looked at. */
  takesIfMatch?: true;
  /** Whether it has its effect once for an `Idempotency-Key`, and whether it takes none without. */
  takesIdempotencyKey?: true | 'needed';
  /** Whether it makes links, of which a key may make so many in a time. */
  creates?: true;
  /** A GET that changes something else: what it changes would be noted as the program's. */
  changes?: true;
  /** Whether it feeds counts of hosts, of which a key may feed so many in a time. */
  feeds?: true;
  /** Of the body; as the server's unless named. */
  maxBodyBytes?: number;
  /** The API key comes as the query parameter `apiKey`, for those who can set no header. */
  takesKeyInQuery?: true;
  /** Whoever has a link to a view may ask for it, as far as the view goes (shared-view.ts). */
  takesShareLink?: true;
  /** PostgreSQL may be away: an API key it found within the last 15 minutes is still one then. */
  goesOnInOutage?: true;
  /** What the handler answers with 200; null: 204 without a body. */
  answer: Answer;
  /** Answered with 202: it is done later. */
  isAccepted?: true;
  /** Answered with 303: for browsers that are led somewhere. */
  redirects?: true;
  /** Content types the answer may have; JSON unless named. */
  contentType?: string | readonly string[];
  /** Beside those that each operation has, see document.ts. */
  problems?: readonly ProblemCode[];
  /** By name: requests and what they are answered, all of which openapi.integration.spec.ts asks. */
  examples?: Readonly<Record<string, OperationExample<Answered<Answer>>>>;
  /** Not in the document: it serves whoever runs the process. */
  isHidden?: true;
}

export interface OperationExample<Answer = unknown> {
  summary: string;
  /** Of the path and of the query, by their names in the document: `filter[]`. */
  parameters?: Readonly<Record<string, string | readonly string[]>>;
  body?: Readonly<Record<string, unknown>>;
  answer: Answer;
}

export interface RoutedOperation extends OperationDescription {
  method: Method;
  /** As Nest writes it: `/rest/v3/short-urls/:code`. */
  path: Path;
}

type Answered<Answer> = Answer extends z.ZodType ? z.input<Answer> : void;

/** A handler whose answer has the shape that the operation promises, or that writes to the reply itself. */
type HandlerDecorator<Answer> = <Handler extends (...given: never[]) => Promise<Answered<Answer> | void>>(
  target: object,
  name: string,
  descriptor: TypedPropertyDescriptor<Handler>,
) => void;

const OPERATION = 'hopcount:operation';
/** Of queries: what they ask for may be large. */
const PAGED = ['itemsPerPage', 'interval'];
const ACTING = new ActingInterceptor();

/**
 * Everything about one operation: its route, who may call it and what it takes (OperationGuard), and its
 * place in the OpenAPI document. An API with a route that lacks it does not start.
 */
export function Operation<Answer extends z.ZodType | null>(
  route: `${Method} ${Path}`,
  description: OperationDescription<Answer>,
): HandlerDecorator<Answer> {
  const [method, path] = route.split(' ') as [Method, Path];
  const operation: RoutedOperation = { ...description, method, path };
  const { query, listsAll = false } = description;
  return applyDecorators(
    RequestMapping({ path, method: RequestMethod[method] }),
    HttpCode(statusOf(description)),
    SetMetadata(OPERATION, operation),
    ...(changesNothing(operation) ? [] : [UseInterceptors(ACTING)]),
    ...(PAGED.some((field) => query?.shape[field] !== undefined)
      ? [UseInterceptors(new LargePageInterceptor(listsAll))]
      : []),
  );
}

export function statusOf({ answer, isAccepted }: Pick<OperationDescription, 'answer' | 'isAccepted'>): number {
  if (answer === null) return 204;
  return isAccepted === true ? 202 : 200;
}

export function changesNothing({ method, creates, changes }: RoutedOperation): boolean {
  return method === 'GET' && creates !== true && changes !== true;
}

export function operationOf(handler: object): RoutedOperation | undefined {
  return Reflect.getMetadata(OPERATION, handler) as RoutedOperation | undefined;
}
