/** Looks whether everything in a data folder follows from its records. Changes nothing; the platform must be stopped. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readConfig } from './config.ts';
import { createSealer, type Sealer } from './entities/sealed-values.ts';
import { type VerifyParts, verifyStore } from './entities/verify-store.ts';
import { groupEntries } from './iam/group-policies.ts';
import { createSecretsFile } from './identity/secrets-file.ts';
import { systemClock } from './lib/clock.ts';
import { openStore } from './store/open-store.ts';

const help = `Looks whether the indexes, unique values, counters, references and sealed values in a data folder are what its
records ask for. Changes nothing. The platform must be stopped.

  npm run verify -- [--data-dir ./data]     FREEHOLD_DATA_DIR names the folder too

Ends with 0 where nothing has drifted, 1 where something has, and 2 where it cannot be looked at.
`;

const spaces = ['test', 'prod'] as const;

type Findings = Awaited<ReturnType<typeof verifyStore>>;

async function main(): Promise<number> {
  const asked = readArguments();
  if ('mistakes' in asked) return refuse(asked.mistakes);
  if (asked.dataDir === undefined) {
    process.stdout.write(help);
    return 0;
  }
  const { dataDir } = asked;
  const missing = spaces.filter((space) => !existsSync(pathOf(dataDir, space)));
  if (missing.length > 0) return refuse([`there is no data of a platform in \`${dataDir}\``]);
  const sealer = createSealer((await createSecretsFile(dataDir).read()).secrets.field_keys ?? []);
  let driftCount = 0;
  for (const space of spaces) {
    const findings = await lookAt(pathOf(dataDir, space), sealer);
    tell(space, findings);
    driftCount += findings.driftCount;
  }
  process.stdout.write(driftCount === 0 ? 'nothing has drifted\n' : `drift: ${driftCount}\n`);
  return driftCount === 0 ? 0 : 1;
}

function readArguments(): { readonly dataDir: string | undefined } | { readonly mistakes: readonly string[] } {
  try {
    const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, help: { type: 'boolean' } } });
    if (values.help === true) return { dataDir: undefined };
    const named = values['data-dir'] === undefined ? {} : { FREEHOLD_DATA_DIR: values['data-dir'] };
    const read = readConfig({ ...process.env, ...named });
    return 'mistakes' in read ? read : { dataDir: read.config.dataDir };
  } catch (error) {
    return { mistakes: [error instanceof Error ? error.message : String(error)] };
  }
}

function pathOf(dataDir: string, space: string): string {
  return join(dataDir, `${space}.db`);
}

async function lookAt(path: string, sealer: Sealer): Promise<Findings> {
  const onFatal = (error: unknown): never => {
    throw error;
  };
  const opened = await openStore({ kind: 'sqlite', path, clock: systemClock, onFatal });
  try {
    const further: VerifyParts['further'] = new Map([['group', groupEntries]]);
    return await verifyStore({ opened, clock: systemClock, sealer, further });
  } finally {
    await opened.store.close();
  }
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

function refuse(mistakes: readonly string[]): number {
  process.stderr.write(`${mistakes.join('\n')}\n`);
  return 2;
}

main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.exitCode = refuse([
      `the data cannot be looked at (is the platform still running?): ${error instanceof Error ? error.message : String(error)}`,
    ]);
  },
);
