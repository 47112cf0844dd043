/** Counts the records in the stores again and compares them with the stored counts. The platform must be stopped. */
import { parseArgs } from 'node:util';
import { operatorActor } from '../audit/operator-log.ts';
import type { Config } from '../config.ts';
import { systemClock, timestamp } from '../lib/clock.ts';
import { checkDays } from '../metering/fold-days.ts';
import {
  isRight,
  type Recounted,
  type RecountedWorkspace,
  recountRecords,
  repairCounters,
  repairGroups,
  wrongText,
} from '../records/recount-records.ts';
import { Conflict, type OpenedStore } from '../store/port.ts';
import type { Environment } from '../tenancy/port.ts';
import { type CliCommand, CommandRefused, configFor, runCommand } from './command-line.ts';
import { requireStores, usingSpace } from './stopped-platform.ts';

const help = `Counts the records of each org, environment, workspace and entity, and compares them with their counters and with the
sum that plans use and builders see. Compares the stored calls of each day with those of its workspaces; months are
sums of days. All nodes of the platform must be stopped.

  freehold recount [--data-dir ./data]    FREEHOLD_DATA_DIR names the folder too
    --repair                              sets counters to what was counted, and records that in the audit log

FREEHOLD_STORE and FREEHOLD_STORE_PROD mean the same as for the platform. Without --repair nothing is changed.
Differences in calls are only reported.

Ends with 0 if everything is equal or was corrected, 1 if something differs, and 2 if nothing can be counted.
`;

interface Totals {
  orgs: number;
  workspaces: number;
  skipped: number;
  records: number;
  /** Those of all orgs: a day of two orgs is one. */
  readonly days: Set<string>;
  calls: number;
  /** Counters that were not equal, and those of them that were set right. */
  differences: number;
  repaired: number;
}

async function run(words: readonly string[]): Promise<number> {
  const flag = { type: 'boolean' } as const;
  const options = { 'data-dir': { type: 'string' }, repair: flag, help: flag } as const;
  const { values } = parseArgs({ args: [...words], options });
  if (values.help === true) {
    process.stdout.write(help);
    return 0;
  }
  const config = configFor(values['data-dir']);
  await requireStores(config);
  const { differences, repaired } = await recountAll(config, values.repair === true);
  const left = differences - repaired;
  const setRight = repaired === 0 ? '' : `set right: ${repaired}\n`;
  process.stdout.write(`${setRight}${left === 0 ? 'nothing differs' : `differences: ${left}`}\n`);
  return left === 0 ? 0 : 1;
}

async function recountAll(config: Config, isRepair: boolean): Promise<Pick<Totals, 'differences' | 'repaired'>> {
  let [differences, repaired] = [0, 0];
  for (const env of ['test', 'prod'] as const) {
    const totals = await usingSpace(config, env, (opened) => recountSpace(opened, env, isRepair));
    const { orgs, workspaces, skipped, records, days, calls } = totals;
    say(
      `${env}: ${orgs} orgs, ${workspaces} workspaces (and ${skipped} not looked at), ${records} records, ` +
        `${calls} calls on ${days.size} days`,
    );
    differences += totals.differences;
    repaired += totals.repaired;
  }
  return { differences, repaired };
}

async function recountSpace(opened: OpenedStore, env: Environment, isRepair: boolean): Promise<Totals> {
  const totals = {
    orgs: 0,
    workspaces: 0,
    skipped: 0,
    records: 0,
    days: new Set<string>(),
    calls: 0,
    differences: 0,
    repaired: 0,
  };
  const auditContext = { at: timestamp(systemClock.now()), actor: operatorActor, request_id: '' };
  for await (const one of recountRecords({ opened, clock: systemClock })) {
    const wrong = await look(one, totals);
    for (const line of wrong) say(`${env}: ${line}`);
    totals.differences += wrong.length;
    if (one.kind !== 'workspace' || !one.hasHead || wrong.length === 0 || !isRepair) continue;
    await repairCounters(one, { env, auditContext }).catch(refuseConflict);
    await repairGroups(one, { env, auditContext }).catch(refuseConflict);
    totals.repaired += wrong.length;
  }
  return totals;
}

/** The differences, a sentence each. */
async function look(one: Recounted, totals: Totals): Promise<readonly string[]> {
  switch (one.kind) {
    case 'org':
      totals.orgs += 1;
      return [...headOf(one), ...(await daysOf(one, totals))];
    case 'skipped':
      totals.skipped += 1;
      return [];
    case 'workspace':
      totals.workspaces += 1;
      return [...headOf(one), ...countersOf(one, totals), ...groupsOf(one)];
    case 'sum':
      if (one.reported === one.found) return [];
      return [`records of org ${one.orgCode}: the sum says ${one.reported ?? 'none'}, counted ${one.found}`];
  }
}

function headOf({ scope, hasHead }: Pick<RecountedWorkspace, 'scope' | 'hasHead'>): readonly string[] {
  return hasHead ? [] : [`the head row of the scope ${scope.name} is missing: restore a backup`];
}

async function daysOf({ orgCode, scope }: Extract<Recounted, { kind: 'org' }>, totals: Totals) {
  const { days, calls, problems } = await checkDays(scope);
  for (const day of days) totals.days.add(day);
  totals.calls += calls;
  return problems.map(({ day, problem }) => `calls of org ${orgCode} on ${day}: ${problem}`);
}

function countersOf({ orgCode, tenantCode, entities }: RecountedWorkspace, totals: Totals): readonly string[] {
  for (const { found } of entities) totals.records += found;
  return entities
    .filter((one) => !isRight(one))
    .map(({ entity, counter, found }) => {
      const place = `records of org ${orgCode}, workspace ${tenantCode}, entity ${entity}`;
      return `${place}: the counter says ${counter?.value ?? 'nothing'}, counted ${found}`;
    });
}

/** A group is named by its key: its values may name persons. */
function groupsOf({ orgCode, tenantCode, groups }: RecountedWorkspace): readonly string[] {
  return groups.map((wrong) => {
    const { pk, sk } = wrong.key;
    const name = pk.slice(pk.indexOf('#') + 1);
    return `aggregate ${name} of org ${orgCode}, workspace ${tenantCode}: the row ${sk} ${wrongText(wrong)}`;
  });
}

function refuseConflict(error: unknown): never {
  if (error instanceof Conflict)
    throw new CommandRefused('the data changed meanwhile: stop the platform on all of its nodes');
  throw error;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export const recount: CliCommand = {
  failure: 'the records cannot be counted (is the platform still running?)',
  run,
};

if (import.meta.main) runCommand(recount);
