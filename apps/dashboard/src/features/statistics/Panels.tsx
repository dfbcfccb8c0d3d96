import { lazy, Suspense } from 'react';

import { ExplainDrawer } from '../evidence/ExplainDrawer.js';
import { useIsShared } from '../sharing/shared-view.js';
import { CurvePanel } from './CurvePanel.js';
import { DimensionPanel } from './DimensionPanel.js';
import { LinksPanel } from './LinksPanel.js';
import { PlacesPanel } from './PlacesPanel.js';
import type { Scope } from './queries.js';
import classes from './statistics.module.css';
import { TotalsPanel } from './TotalsPanel.js';
import { WeekPanel } from './WeekPanel.js';

const LivePanel = lazy(() => import('../live/LivePanel.js'));

const DIMENSIONS = [
  ...(['referrer', 'channel', 'utmCampaign', 'city', 'browser', 'os', 'device', 'language', 'class'] as const),
] as const;

/** All panels of a scope, each with a request of its own. */
export function StatisticsPanels({ scope }: { scope?: Scope }) {
  const isShared = useIsShared();
  return (
    <>
      <TotalsPanel scope={scope} />
      <div className={classes.wide}>
        <CurvePanel scope={scope} />
      </div>
      <div className={classes.panels}>
        {!isShared && (
          <Suspense fallback={<div className={classes.live} />}>
            <LivePanel scope={scope} />
          </Suspense>
        )}
        {scope?.shortCode === undefined && <LinksPanel {...(scope !== undefined && { scope })} />}
        {DIMENSIONS.map((dimension) => (
          <DimensionPanel key={dimension} dimension={dimension} scope={scope} />
        ))}
        <WeekPanel scope={scope} />
      </div>
      <div className={classes.wide}>
        <PlacesPanel scope={scope} />
      </div>
      {!isShared && <ExplainDrawer scope={scope} />}
    </>
  );
}
