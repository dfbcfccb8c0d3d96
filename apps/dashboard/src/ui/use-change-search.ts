import { useNavigate } from '@tanstack/react-router';

/** Changes what the address says, on whatever page; "back" takes it back. What is undefined is taken out. */
export function useChangeSearch(): (change: object) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, ...change }),
      // The token of a share link stands there.
      hash: true,
      hashScrollIntoView: false,
      resetScroll: false,
    });
}
