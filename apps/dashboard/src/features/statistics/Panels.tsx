import { lazyPart } from '../../ui/lazy-part.js';
import { ExplainDrawer } from '../evidence/ExplainDrawer.js';
import { useIsShared } from '../sharing/shared-view.js';
import { DimensionPanel } from './DimensionPanel.js';
import { LinksPanel } from './LinksPanel.js';
import { PlacesPanel } from './PlacesPanel.js';
import type { Scope } from './queries.js';
import classes from './statistics.module.css';
import { TotalsPanel } from './TotalsPanel.js';
import { WeekPanel } from './WeekPanel.js';

/** As high as they are once they are loaded. */
const CURVE_PX = 371;
const LIVE_PX = 336;
const CurvePanel = lazyPart(() => import('./CurvePanel.js'), 'CurvePanel', CURVE_PX);
const LivePanel = lazyPart(() => import('../live/LivePanel.js'), 'LivePanel', LIVE_PX);

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
        {!isShared && <LivePanel scope={scope} />}
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
