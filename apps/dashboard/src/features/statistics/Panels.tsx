import { CurvePanel } from './CurvePanel.js';
import { DimensionPanel } from './DimensionPanel.js';
import { LinksPanel } from './LinksPanel.js';
import type { Scope } from './queries.js';
import classes from './statistics.module.css';
import { TotalsPanel } from './TotalsPanel.js';
import { WeekPanel } from './WeekPanel.js';

const DIMENSIONS = [
  'referrer',
  'channel',
  'country',
  'city',
  'browser',
  'os',
  'device',
  'utmCampaign',
  'class',
] as const;

/** All panels of a scope, each with a request of its own. */
export function StatisticsPanels({ scope }: { scope?: Scope }) {
  return (
    <>
      <TotalsPanel scope={scope} />
      <div className={classes.wide}>
        <CurvePanel scope={scope} />
      </div>
      <div className={classes.panels}>
        {scope === undefined && <LinksPanel />}
        {DIMENSIONS.map((dimension) => (
          <DimensionPanel key={dimension} dimension={dimension} scope={scope} />
        ))}
        <WeekPanel scope={scope} />
      </div>
    </>
  );
}
