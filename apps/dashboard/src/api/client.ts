import { createHopcountClient } from '@hopcount/client';

import { BASE_PATH } from '../app/base-path.js';

/** The session cookie is sent along; the api takes changes only from pages of its own. */
export const api = createHopcountClient({ baseUrl: BASE_PATH });

/** On the page of a share link, from now on: it says what may be seen, whoever is signed in. */
export function sendShareToken(token: string): void {
  api.use({
    onRequest: ({ request }) => {
      request.headers.set('x-share-token', token);
      return request;
    },
  });
}
