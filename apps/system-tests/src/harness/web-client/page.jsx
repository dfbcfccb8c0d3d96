// Built by serve-page.ts. What Shlink's web client does around its component: an API client, the server's version.
import { ShlinkApiClient } from '@shlinkio/shlink-js-sdk';
import { FetchHttpClient } from '@shlinkio/shlink-js-sdk/fetch';
import { ShlinkWebComponent } from '@shlinkio/shlink-web-component';
import { createRoot } from 'react-dom/client';

const server = JSON.parse(document.getElementById('server').textContent);
const apiClient = new ShlinkApiClient(new FetchHttpClient(), server);
const { version } = await apiClient.health();
createRoot(document.getElementById('root')).render(
  <ShlinkWebComponent serverVersion={version} apiClient={apiClient} />,
);
