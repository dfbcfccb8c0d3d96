// @ts-check
// Schema, topics and the API key of the local stack, all through Hopcount's own CLI.
import { join } from 'node:path';

import { appMain } from './apps.mjs';
import { run } from './processes.mjs';
import { ROOT } from './settings.mjs';
import { filesOf, loadSecrets, writeJson } from './stack-file.mjs';

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {string} dataDir
 */
function hopcount(args, env, dataDir) {
  return run(process.execPath, [appMain('cli'), ...args], {
    cwd: ROOT,
    env,
    log: join(filesOf(dataDir).logs, 'provision.log'),
    captureStdout: true,
    failure: `hopcount ${args.join(' ')} failed`,
  });
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @param {string} dataDir
 */
export async function provision(env, dataDir) {
  await Promise.all([hopcount(['migrate'], env, dataDir), hopcount(['topics', 'create'], env, dataDir)]);
}

/**
 * The key of an earlier start as long as this database knows it, else a new one.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} dataDir
 * @param {string} apiUrl
 * @param {string} database the stack's own, whatever its port today, or the address of another
 * @returns {Promise<string>}
 */
export async function ensureApiKey(env, dataDir, apiUrl, database) {
  const secrets = loadSecrets(dataDir);
  const known = secrets.apiKeys[database];
  if (known !== undefined && (await isAccepted(known, apiUrl))) return known;
  // Its name is taken once: the database may have one of an earlier start that is not accepted any more.
  const name = `local ${new Date().toISOString()}`;
  const output = await hopcount(['api-keys', 'create', '--name', name, '-o', 'json'], env, dataDir);
  const { apiKey } = /** @type {{apiKey: string}} */ (JSON.parse(output));
  writeJson(filesOf(dataDir).secrets, { ...secrets, apiKeys: { ...secrets.apiKeys, [database]: apiKey } });
  return apiKey;
}

/**
 * A link that makes the first account; undefined once there is one.
 * @param {string} apiKey
 * @param {string} apiUrl
 * @returns {Promise<string | undefined>}
 */
export async function ownersLink(apiKey, apiUrl) {
  const response = await fetch(`${apiUrl}/rest/v3/users/invites`, {
    method: 'POST',
    headers: { 'X-Api-Key': apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({ role: 'owner', onlyFirst: true }),
  });
  const { link } = /** @type {{link?: string}} */ (await response.json());
  // Browsers take its cookie over plain http from there.
  return link?.replace('127.0.0.1', 'localhost');
}

/**
 * @param {string} apiKey
 * @param {string} apiUrl
 */
async function isAccepted(apiKey, apiUrl) {
  const response = await fetch(`${apiUrl}/rest/v3/short-urls?itemsPerPage=1`, { headers: { 'X-Api-Key': apiKey } });
  await response.arrayBuffer();
  return response.status !== 401 && response.status !== 403;
}
