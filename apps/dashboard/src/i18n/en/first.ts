import common from './common.json' with { type: 'json' };
import evidence from './evidence.json' with { type: 'json' };
import links from './links.json' with { type: 'json' };
import live from './live.json' with { type: 'json' };
import session from './session.json' with { type: 'json' };
import sharing from './sharing.json' with { type: 'json' };
import statistics from './statistics.json' with { type: 'json' };
import view from './view.json' with { type: 'json' };

export default { common, evidence, links, live, session, sharing, statistics, view };
