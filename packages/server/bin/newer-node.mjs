// On whatever Node there is: plain JavaScript.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.mjs';
import { whyTooOld } from './needed-node.mjs';
import { endBy, passSignals } from './pass-signals.mjs';

/**
 * Finds a Node that is new enough: one that came along, one that an earlier start has fetched, or one that npm fetches now.
 * The list of those that npm may fetch is in a release; to a clone `npm ci` brings one.
 * @param {string} root the folder of the installation
 * @returns {Promise<{ path: string } | { fault: string }>} its path, or a sentence that says what to do
 */
export async function newerNode(root) {
  const path = [join(root, 'node_modules', '.bin', 'node'), join(root, '..', '.bin', 'node')].find(runs);
  if (path !== undefined) return { path };
  const list = join(root, 'nodes.json');
  if (!existsSync(list)) return fault('run `npm ci --include=optional`, or install a newer Node');
  const one = JSON.parse(readFileSync(list, 'utf8')).find(
    ({ os, cpu }) => os === process.platform && cpu === process.arch,
  );
  if (one === undefined) return fault(`install a newer Node; npm has none for ${process.platform}-${process.arch}`);
  const cache = cacheFolder('node');
  if (cache === undefined) return fault('install a newer Node; this user has no cache folder to keep a fetched one in');
  return fetched(one, cache);
}

/** A Node of an enclosing project may be any. */
function runs(path) {
  if (!existsSync(path)) return false;
  const { status, stdout } = spawnSync(path, ['-p', 'JSON.stringify(process.versions)'], { encoding: 'utf8' });
  return status === 0 && whyTooOld(JSON.parse(stdout)) === undefined;
}

/** Put into its place when it is whole, so that starts at the same time do not disturb each other. */
async function fetched(one, cache) {
  const folder = join(cache, `${one.name}-${one.version}`);
  const program = join('node_modules', one.name, one.bin);
  if (existsSync(join(folder, program))) return { path: join(folder, program) };
  console.error(`${whyTooOld(process.versions)}: npm fetches Node ${one.version} into ${folder}, once`);
  const unfinished = mkdtempSync(`${folder}-`);
  try {
    const why = await runNpm(one, unfinished);
    if (why !== undefined)
      return fault(`npm could not fetch ${one.name}@${one.version} (${why}); install a newer Node`);
    if (!runs(join(unfinished, program)))
      return fault(`install a newer Node; ${one.name}@${one.version} does not run on this machine`);
    if (!existsSync(folder)) renameSync(unfinished, folder);
    return { path: join(folder, program) };
  } catch (error) {
    return existsSync(join(folder, program)) ? { path: join(folder, program) } : fault(`${error.message}`);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
}

/** By a lock file, so npm takes what the release was built with, by its checksum. @returns why it failed */
async function runNpm({ name, version, integrity, bin }, folder) {
  const dependencies = { [name]: version };
  const packages = { '': { dependencies }, [`node_modules/${name}`]: { version, integrity, bin: { node: bin } } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', `--prefix=${folder}`];
  // A registry that cannot be reached is found out in seconds: by npm's own numbers it takes more than a minute.
  const patience = ['--fetch-retries=1', '--fetch-retry-mintimeout=2000'];
  const env = Object.fromEntries(Object.entries(process.env).filter(([key]) => !misleading.test(key)));
  const child = spawn('npm', [...words, ...patience], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  try {
    const { code, signal, passed } = await passSignals(child);
    if (passed !== undefined) {
      rmSync(folder, { recursive: true, force: true });
      endBy(passed);
    }
    return code === 0 ? undefined : (/code (E\w+)/.exec(said)?.[1] ?? signal ?? `code ${code}`);
  } catch (error) {
    return error.code === 'ENOENT' ? 'there is no npm' : error.message;
  }
}

/** What an npm that runs this program has put into its environment for itself. */
const misleading =
  /^npm_config_(workspaces?|include_workspace_root|global|location|prefix|local_prefix|package|omit|dry_run)$/i;

function fault(remedy) {
  return { fault: `${whyTooOld(process.versions)}: ${remedy}` };
}
