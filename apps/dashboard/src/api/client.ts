import { createHopcountClient } from '@hopcount/client';

import { BASE_PATH } from '../app/base-path.js';

/** The session cookie is sent along; the api takes changes only from pages of its own. */
export const api = createHopcountClient({ baseUrl: BASE_PATH });
