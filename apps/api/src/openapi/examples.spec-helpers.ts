import { enrichedVisit, openLedger } from '@hopcount/ledger/spec-helpers';

import type { TestApi } from '../api.spec-helpers.js';

/** That the examples of the document are on; give it to the api that is asked. */
export const EXAMPLE_DOMAIN = 'go.example';

export interface DocumentedExample {
  operation: string;
  name: string;
  method: string;
  /** With its query. */
  path: string;
  body: unknown;
  answer: unknown;
  /** Where in the document. */
  schema: string;
  /** Asked without a range, so that it is answered for the moment. */
  isOfNow: boolean;
}

interface Named {
  examples?: Record<string, { value: unknown }>;
}

interface DescribedOperation {
  operationId: string;
  parameters: (Named & { name: string; in: string })[];
  requestBody?: { content: Record<string, Named> };
  responses: Record<string, { content?: Record<string, Named> }>;
}

/** Requests and answers, put together of the document alone as any reader of it would: by the name of the example. */
export function documentedExamples(document: {
  paths: Record<string, Record<string, DescribedOperation>>;
}): DocumentedExample[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => {
      const { operationId, parameters, requestBody, responses } = operation;
      const answers = responses['200']?.content?.['application/json']?.examples ?? {};
      const pointer = `#/paths/${path.replaceAll('/', '~1')}/${method}`;
      return Object.entries(answers).map(([name, { value: answer }]) => {
        const given = parameters.flatMap((parameter) => {
          const value = parameter.examples?.[name]?.value as string | string[] | undefined;
          return [value ?? []].flat().map((one) => [parameter, one] as const);
        });
        const query = new URLSearchParams(
          given
            .filter(([parameter]) => parameter.in === 'query')
            .map(([parameter, value]): [string, string] => [parameter.name, value]),
        );
        const inPath = new Map(given.map(([parameter, value]) => [parameter.name, value]));
        const asked = path.replaceAll(/\{(\w+)\}/g, (_, part: string) => encodeURIComponent(inPath.get(part) ?? ''));
        return {
          operation: operationId,
          ...{ name, method: method.toUpperCase(), answer },
          path: `${asked}?${query.toString()}`,
          body: requestBody?.content['application/json']?.examples?.[name]?.value,
          schema: `${pointer}/responses/200/content/application~1json/schema`,
          isOfNow: !query.has('startDate'),
        };
      });
    }),
  );
}

/** Always the same id, for the nth visit. */
function eventIdOf(atMs: number, nth: number): string {
  const time = atMs.toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${nth.toString(16).padStart(12, '0')}`;
}

/** The links and visits that the examples of the document tell of. */
export async function makeExamples(api: TestApi): Promise<void> {
  await api.request('POST', '/rest/v3/groups', { body: { groupId: 'spring', name: 'Spring campaign' } });
  const create = async (customSlug: string, body: object) =>
    (await api.create({ longUrl: `https://shop.example/${customSlug}`, customSlug, ...body })).body['id'] as string;
  const sale = await create('spring-sale', { title: 'Spring sale', tags: ['mail'], groupId: 'spring' });
  const manual = await create('manual', { title: 'Manual' });
  const german = { country: 'DE', region: 'Berlin', city: 'Berlin', language: 'de', visitor: '11', ip: '1' };
  const french = { country: 'FR', region: 'Île-de-France', city: 'Paris', language: 'fr', visitor: '12', ip: '2' };
  const american = { country: 'US', region: 'Texas', city: 'Paris', visitor: '13', ip: '3' };
  const phone = { device: 'mobile', os: 'iOS', browser: 'Mobile Safari' };
  const visits = [
    { linkId: sale, at: '04-29T12:00', ...french },
    { linkId: sale, at: '05-04T07:10', ...german, ...phone },
    { linkId: sale, at: '05-04T16:30', ...german },
    {
      linkId: sale,
      at: '05-05T09:00',
      ...french,
      referrer: 'https://example.org/deals',
      channel: 'other' as const,
      route: 'rule:1',
    },
    { linkId: sale, at: '05-06T22:30', ...american, class: 'bot' as const },
    { linkId: manual, at: '05-06T08:00', ...german },
    { linkId: manual, at: '05-08T10:00', ...american },
  ].map(({ at, ...fields }, nth) =>
    enrichedVisit({
      ...fields,
      eventId: eventIdOf(Date.parse(`2026-${at}Z`), nth),
      destination: 'https://shop.example/',
    }),
  );
  const now = [2, 2, 10].map((minutes) =>
    enrichedVisit({ linkId: sale, atMs: Date.now() - minutes * 60_000, ...german }),
  );
  await (
    await openLedger(api.resources.database)
  )([...visits, ...now]);
}
