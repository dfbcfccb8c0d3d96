// Loaded into every process of a profiled stack (`NODE_OPTIONS=--import …`): profiles the gateway, the api and the
// consumer and leaves <BENCH_PROFILE_DIR>/<pid>.cpuprofile when they end in order. It begins when modules
// are loaded: that happens once and would hide what happens for every visit.
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';

const LOADED_AFTER_MS = 3_000;
const folder = process.env['BENCH_PROFILE_DIR'];
if (folder !== undefined && /apps\/(gateway|consumer|api)\/dist\/bundle\.js$/.test(process.argv[1] ?? '')) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  let started = false;
  setTimeout(() => {
    started = true;
    session.post('Profiler.start');
  }, LOADED_AFTER_MS).unref();
  process.on('exit', () => {
    if (!started) return;
    session.post('Profiler.stop', (_, { profile }) => {
      writeFileSync(join(folder, `${process.pid}.cpuprofile`), JSON.stringify(profile));
    });
  });
}
