import common from './common.json' with { type: 'json' };
import links from './links.json' with { type: 'json' };
import session from './session.json' with { type: 'json' };
import statistics from './statistics.json' with { type: 'json' };

/** @public */
export default { common, links, session, statistics };
