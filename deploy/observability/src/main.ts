import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { dashboardFiles } from './dashboards.js';

// npm run dashboards:write
for (const [name, text] of dashboardFiles()) {
  writeFileSync(join(import.meta.dirname, '../grafana', name), text);
}
