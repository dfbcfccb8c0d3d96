import administration from './administration.json' with { type: 'json' };
import alerts from './alerts.json' with { type: 'json' };
import apiKeys from './apiKeys.json' with { type: 'json' };
import auditLog from './auditLog.json' with { type: 'json' };
import blocks from './blocks.json' with { type: 'json' };
import bulk from './bulk.json' with { type: 'json' };
import domains from './domains.json' with { type: 'json' };
import groups from './groups.json' with { type: 'json' };
import hosts from './hosts.json' with { type: 'json' };
import imports from './imports.json' with { type: 'json' };
import orphans from './orphans.json' with { type: 'json' };
import profile from './profile.json' with { type: 'json' };
import recycleBin from './recycleBin.json' with { type: 'json' };
import rules from './rules.json' with { type: 'json' };
import settings from './settings.json' with { type: 'json' };
import system from './system.json' with { type: 'json' };
import tags from './tags.json' with { type: 'json' };
import users from './users.json' with { type: 'json' };
import variants from './variants.json' with { type: 'json' };
import webhooks from './webhooks.json' with { type: 'json' };

/** @public */
export default {
  administration,
  alerts,
  apiKeys,
  auditLog,
  blocks,
  bulk,
  domains,
  groups,
  hosts,
  imports,
  orphans,
  profile,
  recycleBin,
  rules,
  settings,
  system,
  tags,
  users,
  variants,
  webhooks,
};
