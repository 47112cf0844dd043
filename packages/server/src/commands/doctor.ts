/** Looks for what would keep a platform from starting or from working, and says what to do about it. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { checkAddresses } from '../composition/doctor/check-addresses.ts';
import { checkEntityNames } from '../composition/doctor/check-entity-names.ts';
import {
  copyUnfinished,
  hasLostSecrets,
  openSpace,
  openVault,
  secretsGone,
  storesGone,
} from '../composition/open-spaces.ts';
import { type Config, readConfig, whyNoBackups } from '../config.ts';
import { checkBackups } from '../doctor/check-backups.ts';
import { checkIssuer, checkMailServer, checkPort } from '../doctor/check-port.ts';
import { type Finding, fault, good, note, reasonOf } from '../doctor/finding.ts';
import { engineOf, type StoreAddress } from '../engines/registry.ts';
import type { AddressToCheck } from '../engines/store-engine.ts';
import { systemClock } from '../lib/clock.ts';
import { descriptorsMax } from '../lib/descriptors.ts';
import { parseSecrets, secretsPath } from '../people/secrets.ts';
import { isUnfinishedCopy } from '../store/copy-store.ts';
import { Unavailable } from '../store/port.ts';
import { tooFewDescriptors } from '../telemetry/process-metrics.ts';
import { type CliCommand, CommandRefused, runCommand } from './command-line.ts';
import { missingStores } from './stopped-platform.ts';

const help = `Checks settings, ports, clock, disk, store, keys and the mail server for a platform that starts here with this
environment. Changes nothing. A platform may be running.

  freehold doctor                              each line is \`good\`, \`note\` or \`FAULT\`, and says what to do
  freehold doctor --issuer https://id.example  also asks an issuer of identity tokens; may be repeated
  freehold doctor --running                    for the platform that runs here: leaves out its ports and its lock
  freehold doctor --json                       a JSON object for each finding, with \`kind\` and \`says\`

Ends with 0 if there is no fault, 1 if there is one, and 2 if an argument is wrong.
`;

async function run(words: readonly string[]): Promise<number> {
  const options = {
    issuer: { type: 'string', multiple: true },
    running: { type: 'boolean' },
    json: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ args: [...words], options });
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  let faults = 0;
  const printFindings = (findings: readonly Finding[]): void => {
    for (const finding of findings)
      process.stdout.write(`${values.json === true ? JSON.stringify(finding) : lineOf(finding)}\n`);
    faults += findings.filter(({ kind }) => kind === 'fault').length;
  };
  const read = readConfig(process.env);
  if ('mistakes' in read) printFindings(read.mistakes.map(fault));
  else for (const check of checksOf(read.config, values.running === true)) printFindings(await check());
  for (const issuer of values.issuer ?? []) printFindings([await checkIssuer(issuer)]);
  if (values.json !== true) process.stdout.write(faults === 0 ? 'no fault was found\n' : `faults: ${faults}\n`);
  return faults === 0 ? 0 : 1;
}

function lineOf({ kind, says }: Finding): string {
  return `${(kind === 'fault' ? 'FAULT' : kind).padEnd(6)}${says}`;
}

type DoctorCheck = () => Promise<readonly Finding[]>;

function checksOf(config: Config, isRunning: boolean): readonly DoctorCheck[] {
  const { smtp, store, storeProd } = config;
  const isApart = JSON.stringify(store) !== JSON.stringify(storeProd);
  return [
    async () => [good('the settings can be read'), ...notesOn(config)],
    async () => (isRunning ? [] : checkPorts(config)),
    async () => [checkClock(), ...checkDescriptors(config)],
    () =>
      checkPlace(store, {
        setting: 'FREEHOLD_STORE',
        spaces: ['platform', 'test', ...(isApart ? [] : (['prod'] as const))],
        isRunning,
      }),
    async () => (isApart ? checkPlace(storeProd, { setting: 'FREEHOLD_STORE_PROD', spaces: ['prod'], isRunning }) : []),
    () => checkStores(config),
    async () => [await checkSecrets(config)],
    () => checkAddresses(config),
    () => checkEntityNames(config),
    () => checkBackupsOf(config),
    async () => (smtp === undefined ? [] : [await checkMailServer(smtp)]),
  ];
}

function notesOn({ mode, publicUrl, smtp, store, masterKey, operatorKeyDigest }: Config): readonly Finding[] {
  const notes: Finding[] = [];
  if (mode !== 'production')
    return [note('FREEHOLD_MODE is development: set it to `production` for what others reach')];
  if (publicUrl === undefined)
    notes.push(
      note(
        'FREEHOLD_PUBLIC_URL is not set: links name the address of the listener, and a first start gives tokens an issuer that is no address',
      ),
    );
  if (smtp === undefined) notes.push(note('FREEHOLD_SMTP_URL is not set: what needs a mail is answered 503'));
  if (operatorKeyDigest === undefined)
    notes.push(note('FREEHOLD_OPERATOR_KEY is not set: there are no routes under /platform and no /metrics'));
  if (store.folder === undefined && masterKey === undefined)
    notes.push(note('FREEHOLD_MASTER_KEY is not set: the secrets lie in the database as they are'));
  return notes;
}

async function checkBackupsOf(config: Config): Promise<readonly Finding[]> {
  const { backupDir: folder, backupSchedule: schedule, dataDir, mode } = config;
  const why = whyNoBackups(config);
  if (folder === undefined)
    return why === undefined && mode === 'production'
      ? [note('FREEHOLD_BACKUP_DIR is not set: the platform makes no backups of its own')]
      : [];
  if (why !== undefined) return [note(`FREEHOLD_BACKUP_DIR has no effect: ${why}`)];
  return checkBackups({ folder, dataDir, schedule }, systemClock);
}

async function checkPorts({ host, appPort, managementPort, metricsListen }: Config): Promise<readonly Finding[]> {
  const requested = [
    ...(appPort === undefined ? [] : [{ host, port: appPort, setting: 'FREEHOLD_APP_PORT' }]),
    ...(managementPort === undefined ? [] : [{ host, port: managementPort, setting: 'FREEHOLD_MANAGEMENT_PORT' }]),
    ...(metricsListen === undefined ? [] : [{ ...metricsListen, setting: 'FREEHOLD_METRICS_LISTEN' }]),
  ];
  return Promise.all(requested.filter(({ port }) => port !== 0).map(checkPort));
}

/** A process that is started in this shell may have as many as this one. */
function checkDescriptors({ mode }: Config): readonly Finding[] {
  const max = descriptorsMax();
  if (max === undefined) return [];
  const tooFew = tooFewDescriptors(max);
  if (tooFew === undefined) return [good(`the process may have ${max} file descriptors`)];
  if (max < descriptorsLeast) return [fault(tooFew)];
  return [mode === 'production' ? note(tooFew) : good(`the process may have ${max} file descriptors`)];
}

/** With fewer, a few hundred connections leave none for the store and for other systems. */
const descriptorsLeast = 1024;

/** No clock is asked over the network: what can be known is that this one is before what it cannot be before. */
function checkClock(): Finding {
  const now = new Date(systemClock.now()).toISOString();
  if (systemClock.now() > Date.parse('2026-11-01')) return good(`the clock of this machine says ${now}`);
  return fault(
    `the clock of this machine says ${now}, before this release was made: set it right, as tokens end by it`,
  );
}

function checkPlace(address: StoreAddress, place: AddressToCheck): Promise<readonly Finding[]> {
  return engineOf(address).check(address, place, systemClock);
}

/** Checks that the stores that belong together all exist: the start would create a missing one. */
async function checkStores(config: Config): Promise<readonly Finding[]> {
  // The reason why a server cannot be asked was reported already.
  const missing = await missingStores(config).catch(() => []);
  if (missing.length === 0 || missing.length === 3) return [];
  if (!(await hasStarted(config))) return [];
  return [fault(storesGone(missing))];
}

/** Whether a platform has come beyond its first start. Its secrets are made when all stores are there. */
async function hasStarted({ store, storeProd }: Config): Promise<boolean> {
  if (store.folder !== undefined && existsSync(secretsPath(store.folder))) return true;
  for (const address of [store, storeProd]) if (await engineOf(address).hasWritten(address)) return true;
  return false;
}

const noSecretsYet = note('there are no secrets yet: the first start makes them');

/** A finding where the store cannot be asked: that says nothing about the secrets in it. */
async function isStoreMissing(store: StoreAddress): Promise<boolean | Finding> {
  try {
    return await engineOf(store).isMissing(store, 'platform');
  } catch (error) {
    return fault(`the secrets cannot be looked at, as the store cannot be asked (${reasonOf(error)})`);
  }
}

/** Whether the keys that tokens are signed by can be read, as a start would. */
async function checkSecrets(config: Config): Promise<Finding> {
  const { store } = config;
  try {
    if (store.folder !== undefined) {
      parseSecrets(await readFile(secretsPath(store.folder), 'utf8'));
      return good('the secrets can be read');
    }
    const looked = await isStoreMissing(store);
    if (looked !== false) return looked === true ? noSecretsYet : looked;
    const opened = await openSpace('platform', store, { clock: systemClock, onFatal: () => undefined });
    try {
      if (await isUnfinishedCopy(opened.maintenance)) return fault(copyUnfinished(store));
      const vault = openVault(config, opened.store);
      if (await hasLostSecrets([opened], vault)) return fault(secretsGone(store));
      await vault.read();
    } finally {
      await opened.store.close();
    }
    return good('the secrets can be read');
  } catch (error) {
    return whyUnread(error, config);
  }
}

async function whyUnread(error: unknown, config: Config): Promise<Finding> {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
    return (await hasStarted(config)) ? fault(secretsGone(config.store)) : noSecretsYet;
  const reason = error instanceof Error ? error.message : String(error);
  if (error instanceof Error && 'code' in error && error.code === 'EACCES')
    return fault(`the secrets cannot be read (${reason}): \`chown\` their file`);
  // Of data of an earlier version, which the next start migrates.
  if (error instanceof CommandRefused) return note(error.message);
  if (error instanceof Unavailable)
    return fault(`the secrets cannot be looked at, as the store cannot be opened (${reason})`);
  return fault(`the secrets cannot be read (${reason}): restore them from a backup, or set FREEHOLD_MASTER_KEY right`);
}

export const doctor: CliCommand = { failure: 'nothing could be looked at', run };

if (import.meta.main) runCommand(doctor);
