import '@mantine/notifications/styles.layer.css';

import { MantineThemeProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { useTranslation } from 'react-i18next';

/** Messages that come and go. Loaded after the first page: what is said before waits for it. */
export default function Messages() {
  const { t } = useTranslation();
  const closeButtonProps = { 'aria-label': t('common.close') };
  return (
    <MantineThemeProvider inherit theme={{ components: { Notification: { defaultProps: { closeButtonProps } } } }}>
      <Notifications position="bottom-center" />
    </MantineThemeProvider>
  );
}
