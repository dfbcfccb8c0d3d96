/** What an API key may be allowed to do; `admin` is everything. Each operation of the API names the one it asks for. */
export const API_SCOPES = [
  ...(['links:read', 'links:write', 'statistics:read', 'visits:purge', 'hosts:write'] as const),
  'admin',
] as const;
export type ApiScope = (typeof API_SCOPES)[number];
