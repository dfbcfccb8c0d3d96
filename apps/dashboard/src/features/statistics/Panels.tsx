import { InTurn } from '../../ui/InTurn.js';
import { lazyPart } from '../../ui/lazy-part.js';
import { ExplainDrawer } from '../evidence/ExplainDrawer.js';
import { useIsShared } from '../sharing/shared-view.js';
import { DimensionPanel } from './DimensionPanel.js';
import { LinksPanel } from './LinksPanel.js';
import type { Scope } from './queries.js';
import classes from './statistics.module.css';
import { TotalsPanel } from './TotalsPanel.js';

/** As high as they are once they are loaded. */
const CURVE_PX = 365;
const LIVE_PX = 347;
const PANEL_PX = 407;
const WEEK_PX = 300;
const PLACES_PX = 434;
const CurvePanel = lazyPart(() => import('./CurvePanel.js'), 'CurvePanel', CURVE_PX);
const LivePanel = lazyPart(() => import('../live/LivePanel.js'), 'LivePanel', LIVE_PX);
const WeekPanel = lazyPart(() => import('./WeekPanel.js'), 'WeekPanel', WEEK_PX);
const PlacesPanel = lazyPart(() => import('./PlacesPanel.js'), 'PlacesPanel', PLACES_PX);

const DIMENSIONS = [
  ...(['referrer', 'channel', 'utmCampaign', 'city', 'browser', 'os', 'device', 'language', 'class'] as const),
] as const;

/** All panels of a scope, each with a request of its own; what is in sight comes first. */
export function StatisticsPanels({ scope }: { scope?: Scope }) {
  const isShared = useIsShared();
  return (
    <>
      <TotalsPanel scope={scope} />
      <div className={classes.wide}>
        <InTurn height={CURVE_PX}>
          <CurvePanel scope={scope} />
        </InTurn>
      </div>
      <div className={classes.panels}>
        {!isShared && (
          <InTurn height={LIVE_PX}>
            <LivePanel scope={scope} />
          </InTurn>
        )}
        {scope?.shortCode === undefined && (
          <InTurn height={PANEL_PX}>
            <LinksPanel {...(scope !== undefined && { scope })} />
          </InTurn>
        )}
        {DIMENSIONS.map((dimension) => (
          <InTurn key={dimension} height={PANEL_PX}>
            <DimensionPanel dimension={dimension} scope={scope} />
          </InTurn>
        ))}
        <InTurn height={WEEK_PX}>
          <WeekPanel scope={scope} />
        </InTurn>
      </div>
      <div className={classes.wide}>
        <InTurn height={PLACES_PX}>
          <PlacesPanel scope={scope} />
        </InTurn>
      </div>
      {!isShared && <ExplainDrawer scope={scope} />}
    </>
  );
}
