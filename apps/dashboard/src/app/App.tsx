import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from 'react-i18next';

import { queryClient } from '../api/query-client.js';
import { NONCE } from './page-nonce.js';
import { router } from './router.js';
import { readable, theme } from './theme.js';

const Messages = lazy(() => import('../ui/Messages.js'));

export function App() {
  // Everything is said anew when the language changes.
  const { i18n } = useTranslation();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={readable}
      defaultColorScheme="auto"
      getStyleNonce={() => NONCE}
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
