import { answerOf, type components, type operations } from '@hopcount/client';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { api } from '../../api/client.js';
import { useApi } from '../../api/use-api.js';
import { useChange } from '../../api/use-change.js';
import { DOMAINS } from '../../features/administration/domains.js';
import { LINKS } from '../../features/links/links.js';

export type Import = components['schemas']['Import'];
type Source = operations['importShortUrls']['parameters']['query']['source'];
export const SOURCES = ['csv', 'hopcount', 'shlink', 'kutt', 'yourls', 'bitly'] as const satisfies readonly Source[];
/** As the api takes it. */
export const MAX_MEGABYTES = 32;

const IMPORTS = 'imports';
const LOOK_MS = 1_000;

export const isGoingOn = ({ state }: Import) => state === 'uploading' || state === 'waiting' || state === 'running';

/** Asked for again as long as something changes. */
export function useImport(id: string) {
  const query = useApi(
    [IMPORTS, id],
    (signal) => answerOf(api.GET('/rest/v3/imports/{id}', { params: { path: { id } }, signal })),
    { refetchInterval: (found) => (isGoingOn(found) ? LOOK_MS : false) },
  );
  useFreshLists(query.data !== undefined && !isGoingOn(query.data));
  return query;
}

/** What is remembered of links, their tags and domains is of before the import. */
function useFreshLists(hasEnded: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (hasEnded) for (const subject of [LINKS, DOMAINS]) void client.invalidateQueries({ queryKey: [subject] });
  }, [client, hasEnded]);
}

export interface NewImport {
  source: Source;
  name: string;
  domain: string;
  file: File;
}

export function useUpload() {
  return useChange(IMPORTS, ({ source, name, domain, file }: NewImport) =>
    answerOf(
      api.POST('/rest/v3/imports', {
        params: { query: { source, ...(name !== '' && { name }), ...(domain !== '' && { domain }) } },
        headers: { 'content-type': 'application/octet-stream' },
        // The client would write it as JSON.
        body: file as unknown as string,
        bodySerializer: () => file,
      }),
    ),
  );
}

export function useEndImport() {
  return useChange(IMPORTS, (id: string) =>
    answerOf(api.DELETE('/rest/v3/imports/{id}', { params: { path: { id } } })),
  );
}
