/** Looks whether everything in the stores follows from its records. Changes nothing; the platform must be stopped. */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Command, Refusal, runCommand } from './command-line.ts';
import { type Config, readConfig } from './config.ts';
import { createSealer, type Sealer, type SealingKey } from './entities/sealed-values.ts';
import { type VerifyParts, verifyStore } from './entities/verify-store.ts';
import { groupEntries } from './iam/group-policies.ts';
import { createSecretsFile } from './identity/secrets-file.ts';
import { systemClock } from './lib/clock.ts';
import { openSpace, openVault, sqlitePath } from './open-spaces.ts';
import type { OpenedStore } from './store/port.ts';
import type { StorePlace, StorePlaces } from './store/store-places.ts';

const help = `Looks whether the indexes, unique values, counters, references and sealed values in the stores are what their
records ask for. Changes nothing. The platform must be stopped, with all of its nodes.

  freehold verify [--data-dir ./data]     FREEHOLD_DATA_DIR names the folder too

FREEHOLD_STORE, FREEHOLD_STORE_PROD and FREEHOLD_MASTER_KEY say the same as to the platform.

Ends with 0 where nothing has drifted, 1 where something has, and 2 where it cannot be looked at.
`;

type Findings = Awaited<ReturnType<typeof verifyStore>>;

async function run(words: readonly string[]): Promise<number> {
  const options = { 'data-dir': { type: 'string' }, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...words], options });
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const config = configFor(values['data-dir']);
  const fieldKeys = await findFieldKeys(config);
  if (fieldKeys === undefined) {
    const place = config.store.kind === 'sqlite' ? `\`${config.dataDir}\`` : 'the database';
    throw new Refusal(`there is no data of a platform in ${place}`);
  }
  const sealer = createSealer(fieldKeys);
  let driftCount = 0;
  for (const space of ['test', 'prod'] as const) {
    const findings = await using(openSpace(space, placeOf(config, space), parts), (opened) => lookAt(opened, sealer));
    tell(space, findings);
    driftCount += findings.driftCount;
  }
  process.stdout.write(driftCount === 0 ? 'nothing has drifted\n' : `drift: ${driftCount}\n`);
  return driftCount === 0 ? 0 : 1;
}

function configFor(dataDir: string | undefined): Config {
  const read = readConfig({ ...process.env, ...(dataDir === undefined ? {} : { FREEHOLD_DATA_DIR: dataDir }) });
  if ('mistakes' in read) throw new Refusal(read.mistakes.join('\n'));
  return read.config;
}

const parts = {
  clock: systemClock,
  onFatal: (error: unknown): never => {
    throw error;
  },
};

function placeOf({ store, storeProd }: StorePlaces, space: 'test' | 'prod'): StorePlace {
  return space === 'prod' ? storeProd : store;
}

/** The keys that values are sealed by; undefined where no platform has ever started. */
async function findFieldKeys(config: Config): Promise<readonly SealingKey[] | undefined> {
  const { store } = config;
  if (store.kind === 'postgres') {
    const vaultIn = (opened: OpenedStore) => openVault(config, opened.store).read();
    return (await using(openSpace('platform', store, parts), vaultIn)).secrets.field_keys;
  }
  const isThere = (['test', 'prod'] as const).every((space) => {
    const place = placeOf(config, space);
    return place.kind === 'sqlite' && existsSync(sqlitePath(place.folder, space));
  });
  return isThere ? ((await createSecretsFile(store.folder).read()).secrets.field_keys ?? []) : undefined;
}

async function using<T>(opening: Promise<OpenedStore>, work: (opened: OpenedStore) => Promise<T>): Promise<T> {
  const opened = await opening;
  try {
    return await work(opened);
  } finally {
    await opened.store.close();
  }
}

function lookAt(opened: OpenedStore, sealer: Sealer): Promise<Findings> {
  const further: VerifyParts['further'] = new Map([['group', groupEntries]]);
  return verifyStore({ opened, clock: systemClock, sealer, further });
}

function tell(space: string, { counts, drift, driftCount, dangling, danglingCount }: Findings): void {
  const { orgs, workspaces, skipped, records, entries, uniques, sealed } = counts;
  const lines = [
    `${space}: ${orgs} orgs, ${workspaces} workspaces (and ${skipped} not looked at), ${records} records, ` +
      `${entries} index entries, ${uniques} unique values, ${sealed} records with sealed values`,
    ...drift.map((one) => `  ${one.kind} in ${one.scope} at ${placeText(one.key)}: ${one.problem}`),
    ...(driftCount > drift.length ? [`  and ${driftCount - drift.length} more`] : []),
    ...dangling.map((one) => `  dangling in ${one.scope} at ${placeText(one.key)}: ${one.problem}`),
    ...(danglingCount > dangling.length ? [`  and ${danglingCount - dangling.length} more`] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Keys hold controls. */
function placeText({ pk, sk }: { readonly pk: string; readonly sk: string }): string {
  return `${JSON.stringify(pk)} ${JSON.stringify(sk)}`;
}

export const verify: Command = {
  failure: 'the data cannot be looked at (is the platform still running?)',
  run,
};

if (import.meta.main) runCommand(verify);
