/** `one-of-many`: which is which is said beside the chart. */
export type LineStyle = 'main' | 'open' | 'compared' | 'one-of-many';

/** Of everything drawn: a canvas has no styles. */
export const COLORS = {
  light: {
    main: '#0b7285',
    compared: '#868e96',
    text: '#495057',
    line: '#dee2e6',
    box: '#ffffff',
    many: ['#0b7285', '#e8590c', '#5f3dc4', '#2b8a3e', '#c2255c'],
  },
  dark: {
    main: '#3bc9db',
    compared: '#909296',
    text: '#c1c2c5',
    line: '#373a40',
    box: '#25262b',
    many: ['#3bc9db', '#ffa94d', '#b197fc', '#69db7c', '#faa2c1'],
  },
};
