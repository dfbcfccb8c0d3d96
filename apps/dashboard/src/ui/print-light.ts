const SCHEME = 'data-mantine-color-scheme';

/** Paper is white: pages are printed in light colours, whatever they are shown in. */
export function printLight(): void {
  const root = document.documentElement;
  let shown: string | null = null;
  window.addEventListener('beforeprint', () => {
    shown = root.getAttribute(SCHEME);
    root.setAttribute(SCHEME, 'light');
  });
  window.addEventListener('afterprint', () => {
    if (shown !== null) root.setAttribute(SCHEME, shown);
  });
}
