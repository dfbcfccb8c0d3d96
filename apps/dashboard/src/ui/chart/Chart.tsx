import { useMemo } from 'react';

import { ErrorState } from '../ErrorState.js';
import classes from './chart.module.css';
import type { Lines } from './line-chart.js';
import { LineKey } from './LineKey.js';
import { loadEngine, useChart } from './use-chart.js';

interface Props extends Lines {
  /** For who cannot see it; the numbers are in a table beside it. */
  label: string;
}

/** Kept free while it is loaded, so that nothing moves. */
const HEIGHT_PX = 288;
/** What draws it. */
export const loadChart = async () => {
  await loadEngine();
  return (await import('./line-chart.js')).openLineChart;
};

export function Chart({ label, x, lines }: Props) {
  const drawn = useMemo(() => ({ x, lines }), [x, lines]);
  const { element, isLoading, failure } = useChart(loadChart, drawn);
  if (failure !== undefined) return <ErrorState {...failure} />;
  const keys = lines.length > 1 ? lines.filter(({ style }) => style !== 'one-of-many') : [];
  return (
    <div style={{ display: 'flex', flexDirection: 'column', height: HEIGHT_PX }}>
      <div ref={element} role="img" aria-label={label} aria-busy={isLoading} style={{ flex: 1, minHeight: 0 }} />
      {keys.length > 0 && (
        <ul className={classes.key}>
          {keys.map(({ name, style }) => (
            <li key={style}>
              <LineKey style={style} /> {name}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
