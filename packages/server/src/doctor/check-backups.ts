import { access, constants, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type ListedBackup, listBackups } from '../backup/backup-folder.ts';
import { utc } from '../backup/backup-settings.ts';
import type { Clock } from '../lib/clock.ts';
import { nextDue } from '../lib/scheduling/next-due.ts';
import { type Finding, fault, good, note, reasonOf } from './finding.ts';

/** Whether backups can be made, are made when they are due, and can be restored. */
export async function checkBackups(
  query: { readonly folder: string; readonly dataDir: string; readonly schedule: string | undefined },
  clock: Clock,
): Promise<readonly Finding[]> {
  const { folder, dataDir } = query;
  const found = await stat(folder).catch(() => undefined);
  if (found !== undefined && !found.isDirectory())
    return [fault(`\`${folder}\` is no folder: remove it, or set FREEHOLD_BACKUP_DIR to another place`)];
  const reason = await access(found === undefined ? dirname(folder) : folder, constants.W_OK | constants.X_OK).then(
    () => undefined,
    reasonOf,
  );
  if (found === undefined && reason !== undefined)
    return [fault(`the folder for backups \`${folder}\` is missing and cannot be made (${reason}): make it`)];
  if (found === undefined)
    return [note(`the folder for backups \`${folder}\` is missing: the first backup makes it; is its disk mounted?`)];
  const findings = [
    reason === undefined
      ? good(`backups can be written to \`${folder}\``)
      : fault(`backups cannot be written to \`${folder}\` (${reason}): \`chown\` it to the user of the platform`),
  ];
  if ((found.mode & 0o077) !== 0)
    findings.push(fault(`\`${folder}\` is open to other users of the machine: \`chmod 700\` closes it`));
  const data = await stat(dataDir).catch(() => undefined);
  if (data?.dev === found.dev)
    findings.push(note('the backups lie on the disk of the data, and are lost with it: copy them to another machine'));
  const backups = await listBackups(query).catch(() => undefined);
  return backups === undefined ? findings : [...findings, ...judgeBackups(backups, query.schedule, clock.now())];
}

/** @param backups the latest first. */
export function judgeBackups(
  backups: readonly ListedBackup[],
  schedule: string | undefined,
  now: number,
): readonly Finding[] {
  const complete = backups.filter(({ state }) => state === 'complete');
  const [last] = complete;
  if (last === undefined) return [note('there is no complete backup yet')];
  const findings = [isLate(last, schedule, now) ? late(last) : good(`the last complete backup is of ${last.made_at}`)];
  const tested = complete
    .flatMap(({ name, test }) => (test === null || test.result === 'running' ? [] : [{ name, ...test }]))
    .sort((one, other) => (one.at < other.at ? 1 : -1))[0];
  if (tested === undefined) findings.push(note('no restore of a backup was tested: test one'));
  else if (tested.result === 'failed' || tested.result === 'drifted')
    findings.push(fault(`the last restore test, of \`${tested.name}\`, ${tested.result}: ${tested.problem ?? ''}`));
  return findings;
}

/** Whether two times have come since at which one was due. */
function isLate({ made_at }: ListedBackup, cron: string | undefined, now: number): boolean {
  if (cron === undefined) return false;
  const first = nextDue(utc(cron), Date.parse(made_at));
  const second = first === undefined ? undefined : nextDue(utc(cron), first);
  return second !== undefined && second <= now;
}

function late({ made_at }: ListedBackup): Finding {
  return fault(
    `the last complete backup is of ${made_at}, more than two times of FREEHOLD_BACKUP_SCHEDULE ago: see in the log, or in the list of backups, why the later ones failed`,
  );
}
