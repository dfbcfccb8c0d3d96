import { withDatabase } from '../connections.js';
import {
  NOT_ENOUGH_SEEN,
  type CliContext,
  type OutputOptions,
  type RegisterCommand,
  VERIFICATION_FAILED,
} from '../context.js';
import { parseWhole } from '../operator-actions/options.js';
import { type Column, plural } from '../output/output.js';
import { parseDuration } from '../replay/time-range.js';
import { type GatewayState, readGateway } from '../rollout/gateway-state.js';
import { type Finding, judgeCanary, type Verdict } from '../rollout/judge-canary.js';
import { observe } from '../rollout/observed.js';

const HELP = `
Holds what the canary's own processes reported of their visits against what was counted, and its errors, p99 and spool
against the baseline's (since each process was started). Changes nothing. Exit code 0: go; 3: back; 4: wait.

Examples:
  $ hopcount rollout judge --canary 0.2.0+1a2b3c4d
  $ hopcount rollout judge --canary 0.2.0+1a2b3c4d --baseline 0.1.0+9f8e7d6c --since 15m --ops http://10.0.0.9:8180 -o json`;

const EXIT_CODES: Record<Verdict, number> = { go: 0, back: VERIFICATION_FAILED, wait: NOT_ENOUGH_SEEN };

interface JudgeOptions extends OutputOptions {
  canary: string;
  baseline?: string;
  since: number;
  ops?: string[];
  minVisits: number;
}

export const registerRolloutJudge: RegisterCommand = (parent, context) => {
  parent
    .command('judge')
    .description('go, wait or back: whether the gateways of one version may take more visitors')
    .requiredOption('--canary <version>', 'version of the gateways to judge, as their /readyz says it')
    .option('--baseline <version>', 'version to compare with; all others unless given')
    .option('--since <duration>', 'reports of so long ago at most', parseDuration, parseDuration('1h'))
    .option('--ops <urls...>', "operations ports of gateways; GATEWAY_OPS_URLS or the local stack's unless given")
    .option('--min-visits <n>', 'fewer settled visits say nothing', (text) => parseWhole(text, 1, 1e9), 1_000)
    .addHelpText('after', HELP)
    .action((options: JudgeOptions) => judge(context, options));
};

async function judge(context: CliContext, options: JudgeOptions): Promise<void> {
  const { canary, baseline = null, since, minVisits, output } = options;
  const config = context.config();
  const { auditsByVersion } = await import('@hopcount/ledger');
  const nowMs = Date.now();
  const urls = (options.ops ?? config.gatewayOpsUrls).map((url) => url.replace(/\/+$/, ''));
  const [audits, gateways] = await Promise.all([
    withDatabase(config, (database) => auditsByVersion(database, nowMs - since, nowMs)),
    readGateways(urls),
  ]);
  const isBaseline = ({ version }: { version: string }) =>
    baseline === null ? version !== canary : version === baseline;
  const isCanary = ({ version }: { version: string }) => version === canary;
  const { verdict, findings } = judgeCanary(
    observe(audits.filter(isCanary), gateways.filter(isCanary)),
    observe(audits.filter(isBaseline), gateways.filter(isBaseline)),
    minVisits,
  );
  context.terminal.rows(output, COLUMNS, findings, () => ({ verdict, canary, baseline, findings }));
  const versions = new Set([...audits, ...gateways].map(({ version }) => version || 'unknown'));
  context.terminal.message(
    `${plural(gateways.length, 'gateway')} of ${urls.length} answered; versions: ${[...versions].join(', ') || 'none'}.`,
  );
  context.terminal.message(`${verdict.toUpperCase()}: ${reasonsFor(verdict, findings)}`);
  context.exitWith(EXIT_CODES[verdict]);
}

async function readGateways(urls: readonly string[]): Promise<GatewayState[]> {
  return (await Promise.all(urls.map((url) => readGateway(url)))).filter((state) => state !== undefined);
}

function reasonsFor(verdict: Verdict, findings: readonly Finding[]): string {
  if (verdict === 'go') return 'nothing speaks against it.';
  const speaking = findings.filter((finding) => finding.verdict === verdict);
  return `${speaking.map(({ check, canary, why }) => `${check} ${String(canary)} (${why})`).join('; ')}.`;
}

const COLUMNS: Column<Finding>[] = [
  { name: 'verdict', heading: 'says', value: ({ verdict }) => verdict },
  { name: 'check', heading: 'check', value: ({ check }) => check },
  { name: 'canary', heading: 'canary', value: ({ canary }) => canary, align: 'right' },
  { name: 'baseline', heading: 'baseline', value: ({ baseline }) => baseline, align: 'right' },
  { name: 'why', heading: 'why', value: ({ why }) => why },
];
