import { useEffect, useState } from 'react';

/**
 * For a dialog that is mounted only while it is open: the focus goes back to what opened it, or to the page where that is gone.
 * Mantine does so only for dialogs that stay mounted.
 */
export function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      const isThere = opener instanceof HTMLElement && opener !== document.body && opener.isConnected;
      (isThere ? opener : document.getElementById('content'))?.focus({ preventScroll: true });
    },
    [opener],
  );
}
