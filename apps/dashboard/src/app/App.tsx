import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';

import { queryClient } from '../api/query-client.js';
import { NONCE } from './page-nonce.js';
import { router } from './router.js';
import { readable, theme } from './theme.js';

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
        <Notifications position="bottom-center" />
        <RouterProvider key={i18n.language} router={router} />
      </QueryClientProvider>
    </MantineProvider>
  );
}
