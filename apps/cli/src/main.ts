import { run } from './run.js';

// A reader that went away (`| head`) is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const exitCode = await run(process.argv.slice(2), process.env, process);
// Once all of it is written. A client whose server hangs would keep the process for minutes: nothing waits for that.
process.stdout.write('', () => process.exit(exitCode));
