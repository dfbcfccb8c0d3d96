import { createContext, useContext } from 'react';

/** Whether the page is that of a share link: it shows numbers, and leads nowhere. */
export const SharedView = createContext(false);

export function useIsShared(): boolean {
  return useContext(SharedView);
}
