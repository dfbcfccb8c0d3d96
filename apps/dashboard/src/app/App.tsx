import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { type ComponentType, lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { queryClient } from '../api/query-client.js';
import { whenIdle } from '../ui/idle.js';
import { loadRest } from '../ui/load-rest.js';
import { NONCE } from './page-nonce.js';
import { router } from './router.js';
import { readable, theme } from './theme.js';

/** After the first page; without them all but messages is shown. */
const Messages = lazy(() =>
  whenIdle()
    .then(loadRest)
    .then((): Promise<{ default: ComponentType }> => import('../ui/Messages.js'))
    .catch((): { default: ComponentType } => ({ default: () => null })),
);

export function App() {
  // Everything is said anew when the language changes.
  const { i18n } = useTranslation();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readable}
      defaultColorScheme="auto"
      getStyleNonce={() => NONCE}
      // All of them: no file of styles has those that are as Mantine has them.
      deduplicateCssVariables={false}
    >
      <QueryClientProvider client={queryClient}>
        <Suspense fallback={null}>
          <Messages />
        </Suspense>
        <RouterProvider key={i18n.language} router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
