import administration from './administration.json' with { type: 'json' };
import apiKeys from './apiKeys.json' with { type: 'json' };
import common from './common.json' with { type: 'json' };
import domains from './domains.json' with { type: 'json' };
import groups from './groups.json' with { type: 'json' };
import links from './links.json' with { type: 'json' };
import session from './session.json' with { type: 'json' };
import statistics from './statistics.json' with { type: 'json' };
import tags from './tags.json' with { type: 'json' };
import users from './users.json' with { type: 'json' };

/** @public */
export default { administration, apiKeys, common, domains, groups, links, session, statistics, tags, users };
