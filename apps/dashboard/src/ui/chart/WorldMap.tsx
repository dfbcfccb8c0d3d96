import { useMemo } from 'react';

import { ErrorState } from '../ErrorState.js';
import { loadEngine, useChart } from './use-chart.js';
import type { World } from './world-map.js';

/** Of the world without Antarctica, as it is drawn; kept free while it is loaded, so that nothing moves. */
const ASPECT_RATIO = 2;
const load = async () => {
  await loadEngine();
  return (await import('./world-map.js')).openWorldMap;
};

/** Countries by visits. Small ones are not drawn: the table beside it has all of them. */
export function WorldMap({ label, countries, onChoose }: World & { label: string }) {
  const drawn = useMemo(() => ({ countries, onChoose }), [countries, onChoose]);
  const { element, isLoading, failure } = useChart(load, drawn);
  if (failure !== undefined) return <ErrorState {...failure} />;
  return (
    <div
      ref={element}
      role="img"
      aria-label={label}
      aria-busy={isLoading}
      style={{ aspectRatio: ASPECT_RATIO, width: '100%' }}
    />
  );
}
