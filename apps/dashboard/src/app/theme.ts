import { createTheme, type CSSVariablesResolver } from '@mantine/core';

export const theme = createTheme({
  primaryColor: 'cyan',
  // White on this shade, and this shade on white, have a contrast of 4.5 or more.
  primaryShade: { light: 9, dark: 9 },
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif',
  headings: { fontWeight: '650' },
  components: {
    // In a narrow cell the text would be cut off: of a state nothing but its first letter.
    Badge: { defaultProps: { tt: 'none', fw: 500, miw: 'max-content' } },
  },
});

/** Where Mantine's own colours of small texts have less contrast than 4.5. */
export const readable: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6c757d',
    '--mantine-color-error': '#c92a2a',
    // Under the pointer in a row that is marked as well; Mantine's are twice as dark.
    '--mantine-color-cyan-light-hover': 'rgba(11, 114, 133, 0.06)',
    '--mantine-color-red-light-hover': 'rgba(201, 42, 42, 0.06)',
  },
  dark: {
    '--mantine-color-dimmed': '#a6a7ab',
    '--mantine-color-placeholder': '#a6a7ab',
    '--mantine-color-error': '#ff8787',
    // Of buttons without a ground of their own: Mantine's are nearly white, and say nothing of danger.
    '--mantine-color-red-light-color': '#ff8787',
    '--mantine-color-cyan-light-color': '#66d9e8',
  },
});
