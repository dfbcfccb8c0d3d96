// @ts-check
/**
 * What to do next, once all is ready.
 * @param {{gatewayUrl: string, apiUrl: string, apiKey: string, firstOwner: string | undefined, opsUrls: Record<string, string[]>, logs: string,
 *   archiveUrl: string | undefined, databaseUrl: string, redisUrl: string, kafkaBrokers: string}} stack
 * @returns {string[]} lines
 */
export function welcome(stack) {
  const { gatewayUrl, apiUrl, apiKey } = stack;
  return `
Hopcount is ready.

  dashboard   ${apiUrl.replace('127.0.0.1', 'localhost')}/
  gateway     ${gatewayUrl}
  api         ${apiUrl}   (browse it: ${apiUrl}/rest/docs)
  metrics     ${Object.entries(stack.opsUrls)
    .map(([kind, urls]) => `${kind} ${urls.map((url) => `${url}/metrics`).join(' ')}`)
    .join('\n              ')}
  PostgreSQL  ${stack.databaseUrl}
  Redis       ${stack.redisUrl}
  Kafka       ${stack.kafkaBrokers}
  archive     ${stack.archiveUrl ?? 'none'}
  API key     ${apiKey}
  logs        ${stack.logs}${stack.firstOwner === undefined ? '' : `\n\nMake your account (the link works once): ${stack.firstOwner}`}

Create a link:
  curl -s ${apiUrl}/rest/v3/short-urls \\
    -H 'X-Api-Key: ${apiKey}' -H 'Content-Type: application/json' \\
    -d '{"longUrl": "https://example.com", "customSlug": "hello"}'

Follow it, then see its statistics:
  curl -si ${gatewayUrl.replace('127.0.0.1', 'localhost')}/hello
  curl -s ${apiUrl}/rest/v3/short-urls/hello/stats -H 'X-Api-Key: ${apiKey}'

A few thousand real visits: npm run demo
`.split('\n');
}
