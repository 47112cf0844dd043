/** Moves a whole platform between engines: from a folder to PostgreSQL, back, or to another of the same sort. */

import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { openSpace, type SpaceDeps } from '../composition/open-spaces.ts';
import { type CopyEnd, copiedSpaces, copyPlatform } from '../copy/copy-platform.ts';
import { addressForms, engineOf, readAddress, type StoreAddress } from '../engines/registry.ts';
import { systemClock } from '../lib/clock.ts';
import { createSecretsFile } from '../people/secrets.ts';
import type { OpenedStore } from '../store/port.ts';
import {
  type CliCommand,
  CommandRefused,
  dataFolder,
  masterKeyFor,
  runCommand,
  textOrVariable,
} from './command-line.ts';

const help = `Copies the stores of a platform, and compares the copy with the source by count and SHA-256. No platform may run on
either of them. A copy that was cut off continues when the same command is run again.

  freehold copy --from sqlite:./data --to postgres://user:password@host/database

  sqlite:          the folder that FREEHOLD_DATA_DIR names, or ./data; sqlite:FOLDER names another
  env:NAME         takes the address from a variable, which keeps its password out of the list of processes

Ends with 0 if the target equals the source, and with 2 if it does not: no platform starts on it then.
`;

async function run(words: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...words],
    options: { from: { type: 'string' }, to: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help === true || values.from === undefined || values.to === undefined) {
    process.stdout.write(help);
    return values.help === true ? 0 : 2;
  }
  const [source, target] = [endOf(values.from), endOf(values.to)];
  await refuseEmpty(source.address);
  const opened: OpenedStore[] = [];
  try {
    const copied = await copyPlatform(await openEnd(source, opened), await openEnd(target, opened));
    for (const { space, scopes, items, written } of copied)
      process.stdout.write(`${space}: ${scopes} scopes, ${items} items, ${written} of them written now\n`);
    const isOld = copied.every(({ wasComplete }) => wasComplete);
    process.stdout.write(
      `${isOld ? 'already complete' : 'done'}: the target holds what the source does, and its secrets\n`,
    );
    return 0;
  } finally {
    for (const { store } of opened) await store.close();
  }
}

interface NamedEnd {
  readonly text: string;
  readonly address: StoreAddress;
}

function endOf(named: string): NamedEnd {
  const text = textOrVariable(named);
  const address = readAddress(text, 'copy', () => dataFolder(undefined));
  if (address === undefined) throw new CommandRefused(`\`--from\` and \`--to\` take ${addressForms('copy')}`);
  return { text, address };
}

/** Opened, a folder without stores would get empty ones, and these would be copied. */
async function refuseEmpty(source: StoreAddress): Promise<void> {
  if (source.folder === undefined) return;
  const engine = engineOf(source);
  for (const space of copiedSpaces)
    if (await engine.isMissing(source, space))
      throw new CommandRefused(`there is no data of a platform in ${engine.placeText(source)}`);
}

/**
 * Each opened store is noted, to be closed however the copy ends. The first one's lock shows whether a process has the
 * folder.
 */
async function openEnd({ text, address }: NamedEnd, opened: OpenedStore[]): Promise<CopyEnd> {
  const open = async (space: (typeof copiedSpaces)[number]): Promise<OpenedStore> => {
    const one = await openSpace(space, address, spaceParts);
    opened.push(one);
    return one;
  };
  if (address.folder !== undefined) mkdirSync(address.folder, { recursive: true, mode: 0o700 });
  const stores = { platform: await open('platform'), test: await open('test'), prod: await open('prod') };
  const secrets =
    address.folder === undefined ? { masterKey: masterKeyFor(text) } : { file: createSecretsFile(address.folder) };
  return { stores, secrets };
}

const spaceParts: SpaceDeps = {
  clock: systemClock,
  onFatal: (error) => {
    throw error;
  },
};

export const copy: CliCommand = { failure: 'the platform could not be copied', run };

if (import.meta.main) runCommand(copy);
