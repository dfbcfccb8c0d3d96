import { createTheme } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'cyan',
  // White on these shades, and these shades on the page, have a contrast of 4.5 or more.
  primaryShade: { light: 9, dark: 7 },
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif',
  headings: { fontWeight: '650' },
});
