/** What an API key may be allowed to do; `admin` is everything. Each operation of the API names the one it asks for. */
export const API_SCOPES = ['links:read', 'links:write', 'statistics:read', 'visits:purge', 'admin'] as const;
export type ApiScope = (typeof API_SCOPES)[number];
