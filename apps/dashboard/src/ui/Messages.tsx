import '@mantine/notifications/styles.layer.css';

import { Notifications } from '@mantine/notifications';

/** Messages that come and go. Loaded after the first page: what is said before waits for it. */
export default function Messages() {
  return <Notifications position="bottom-center" />;
}
