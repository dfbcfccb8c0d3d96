import { EXAMPLE_ANSWERED, EXAMPLE_WEEK } from '../example-week.js';

/** Of the links and visits that openapi/examples.spec-helpers.ts makes. */
export const MATRIX_EXAMPLES = {
  devices: {
    summary: 'Devices by class, the most frequent class apart from all others',
    parameters: { ...EXAMPLE_WEEK, rows: 'device', columns: 'class', columnLimit: '1' },
    answer: {
      ...EXAMPLE_ANSWERED,
      visits: 6,
      rows: {
        dimension: 'device' as const,
        values: [
          { value: 'desktop', visits: 5 },
          { value: 'mobile', visits: 1 },
        ],
        other: { values: 0, visits: 0 },
      },
      columns: {
        dimension: 'class' as const,
        values: [{ value: 'human', visits: 5 }],
        other: { values: 1, visits: 1 },
      },
      cells: [
        [4, 1],
        [1, 0],
        [0, 0],
      ],
    },
  },
};
