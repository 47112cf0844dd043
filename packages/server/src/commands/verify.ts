/** Looks whether everything in the stores follows from its records. Changes nothing; the platform must be stopped. */

import { parseArgs } from 'node:util';
import { unopenedSecrets } from '../automation/port.ts';
import { openVault } from '../composition/open-spaces.ts';
import type { Config } from '../config.ts';
import { groupEntries } from '../iam/port.ts';
import { systemClock } from '../lib/clock.ts';
import { openSealedFactors, platformScopeName } from '../people/port.ts';
import { createSecretsFile } from '../people/secrets.ts';
import { createSealer, type Sealer, type SealingKey, unopenedProblem } from '../records/port.ts';
import { type VerifyDeps, verifyStore } from '../records/verify-store.ts';
import type { OpenedStore } from '../store/port.ts';
import { type CliCommand, configFor, runCommand } from './command-line.ts';
import { noData, requireStores, usingSpace } from './stopped-platform.ts';

const help = `Checks the indexes, unique values, counters, references and encrypted values in the stores against their records,
and opens the secrets of authenticator apps.
Changes nothing. All nodes of the platform must be stopped.

  freehold verify [--data-dir ./data]     FREEHOLD_DATA_DIR names the folder too

FREEHOLD_STORE, FREEHOLD_STORE_PROD and FREEHOLD_MASTER_KEY mean the same as for the platform.

Ends with 0 if nothing has drifted, 1 if something has, and 2 if the data cannot be checked.
`;

type StoreFindings = Awaited<ReturnType<typeof verifyStore>>;

async function run(words: readonly string[]): Promise<number> {
  const options = { 'data-dir': { type: 'string' }, help: { type: 'boolean' } } as const;
  const { values } = parseArgs({ args: [...words], options });
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const config = configFor(values['data-dir']);
  await requireStores(config);
  const fieldKeys = await findFieldKeys(config);
  if (fieldKeys === undefined) throw noData(config);
  const sealer = createSealer(fieldKeys);
  let driftCount = 0;
  for (const space of ['test', 'prod'] as const) {
    const findings = await usingSpace(config, space, (opened) => lookAt(opened, sealer));
    printFindings(space, findings);
    driftCount += findings.driftCount;
  }
  driftCount += await usingSpace(config, 'platform', (opened) => lookAtFactors(opened, sealer));
  process.stdout.write(driftCount === 0 ? 'nothing has drifted\n' : `drift: ${driftCount}\n`);
  return driftCount === 0 ? 0 : 1;
}

/** The keys that values are sealed by; undefined where a database holds no secrets yet. */
async function findFieldKeys(config: Config): Promise<readonly SealingKey[] | undefined> {
  const { store } = config;
  if (store.folder === undefined) {
    const vaultIn = (opened: OpenedStore) => openVault(config, opened.store).read();
    return (await usingSpace(config, 'platform', vaultIn)).secrets.field_keys;
  }
  return (await createSecretsFile(store.folder).read()).secrets.field_keys ?? [];
}

function lookAt(opened: OpenedStore, sealer: Sealer): Promise<StoreFindings> {
  const further: VerifyDeps['further'] = new Map([['group', groupEntries]]);
  return verifyStore({ opened, clock: systemClock, sealer, further, unopened: unopenedSecrets });
}

/** Secrets of authenticator apps lie in the scope of the platform, and belong to no record. Gives how many do not open. */
async function lookAtFactors({ store }: OpenedStore, sealer: Sealer): Promise<number> {
  const scope = store.scope(platformScopeName);
  const { sealed, unopened, unopenedCount } = await openSealedFactors(scope, sealer);
  const lines = [
    `platform: ${sealed} accounts with the sealed secret of an authenticator app`,
    ...unopened.map((key) => `  sealed in ${scope.name} at ${placeText(key)}: ${unopenedProblem}`),
    ...(unopenedCount > unopened.length ? [`  and ${unopenedCount - unopened.length} more`] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return unopenedCount;
}

function printFindings(space: string, { counts, drift, driftCount, dangling, danglingCount }: StoreFindings): void {
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

export const verify: CliCommand = {
  failure: 'the data cannot be read (is the platform still running?)',
  run,
};

if (import.meta.main) runCommand(verify);
