/** Moves a whole platform between engines: from a folder to PostgreSQL, back, or to another of the same sort. */
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import { dataFolder, masterKeyFor, Refusal, runCommand, textOrVariable } from './command-line.ts';
import { platformScopeName } from './identity/org-directory.ts';
import type { SecretsVault } from './identity/secrets.ts';
import { createSecretsFile } from './identity/secrets-file.ts';
import { createSecretsInStore } from './identity/secrets-in-store.ts';
import { systemClock } from './lib/clock.ts';
import { type CopySides, copyStores } from './store/copy-store.ts';
import { openStore } from './store/open-store.ts';
import type { OpenedStore, Store } from './store/port.ts';

const help = `Copies the stores of a platform as they are, and compares what came of it by count and SHA-256. No platform may run on
either of them. A copy that was cut off is begun again with the same words, and goes on where it was.

  npm run copy -- --from sqlite:./data --to postgres://user:password@host/database

  sqlite:          the folder that FREEHOLD_DATA_DIR names, or ./data; sqlite:FOLDER names another
  env:NAME         takes the address from a variable, so that nobody sees its password in a list of processes

Ends with 0 where the target holds what the source does, and with 2 where it does not: then no platform starts on it.
`;

/** The store that a platform begins with comes last. */
const spaces = ['prod', 'test', 'platform'] as const;

type Place = { readonly folder: string } | { readonly url: string };

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help === true || values.from === undefined || values.to === undefined) {
    process.stdout.write(help);
    return values.help === true ? 0 : 2;
  }
  const [source, target] = [placeOf(values.from), placeOf(values.to)];
  if ('folder' in source && spaces.some((space) => !existsSync(fileOf(source.folder, space))))
    throw new Refusal(`there is no data of a platform in \`${source.folder}\``);
  const opened: OpenedStore[] = [];
  try {
    const sides: CopySides[] = [];
    for (const space of spaces) {
      const from = await openSpace(source, space);
      opened.push(from);
      const to = await openSpace(target, space);
      opened.push(to);
      sides.push({ space, from: from.maintenance, to: to.maintenance });
    }
    for (const { space, scopes, items, written } of await copyStores(sides))
      process.stdout.write(`${space}: ${scopes} scopes, ${items} items, ${written} of them written now\n`);
    // The platform's stores were opened last.
    const [from, to] = opened.slice(-2);
    if (from !== undefined && to !== undefined)
      await copySecrets(vaultOf(source, from.store), vaultOf(target, to.store));
  } finally {
    for (const { store } of opened) await store.close();
  }
  process.stdout.write('done: the target holds what the source does, and its secrets\n');
  return 0;
}

function placeOf(text: string): Place {
  const address = textOrVariable(text);
  const folder = /^sqlite:(.*)$/s.exec(address)?.[1];
  if (folder !== undefined) return { folder: folder === '' ? dataFolder(undefined) : resolve(folder) };
  if (/^postgres(ql)?:/.test(address)) return { url: address };
  throw new Refusal('`--from` and `--to` take `sqlite:FOLDER` or `postgres://user:password@host/database`');
}

function fileOf(folder: string, space: string): string {
  return join(folder, `${space}.db`);
}

function openSpace(place: Place, space: string): Promise<OpenedStore> {
  const clock = systemClock;
  if ('url' in place) return openStore({ kind: 'postgres', url: place.url, space, clock });
  mkdirSync(place.folder, { recursive: true, mode: 0o700 });
  const onFatal = (error: unknown): never => {
    throw error;
  };
  return openStore({ kind: 'sqlite', path: fileOf(place.folder, space), clock, onFatal });
}

/** The secrets lie beside a store that is a folder, and in a store that is not. */
function vaultOf(place: Place, platform: Store): SecretsVault {
  return 'folder' in place
    ? createSecretsFile(place.folder)
    : createSecretsInStore(platform.scope(platformScopeName), masterKeyFor(place.url));
}

/** Last, since a store that they are written to takes no commit before it is whole. */
async function copySecrets(from: SecretsVault, to: SecretsVault): Promise<void> {
  const [{ secrets }, seen] = [await from.read(), await to.read()];
  if (isDeepStrictEqual(secrets, seen.secrets)) return;
  if (!(await to.write(secrets, seen))) throw new Error('the secrets of the target changed while they were copied');
}

runCommand('the platform could not be copied', main);
