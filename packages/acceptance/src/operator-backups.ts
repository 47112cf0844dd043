/** The operations of an operator on the backups of a platform under test. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type CallOptions, call, type Reply } from './call.ts';
import { eventually } from './eventually.ts';
import { operatorKey } from './plans.ts';
import type { Gateways } from './platform.ts';

export interface ShownBackup {
  readonly name: string;
  readonly state: string;
  readonly problem: string | null;
  readonly percent: number | null;
  readonly made_by: string | null;
  readonly made_at: string;
  readonly bytes: number | null;
  readonly data_version: number | null;
  readonly test: { readonly result: string; readonly at: string; readonly problem: string | null } | null;
}

export interface ShownBackups {
  readonly items: readonly ShownBackup[];
  readonly nexttoken: string | null;
  readonly unavailable: string | null;
  readonly schedule: { readonly cron: string; readonly next_at: string; readonly keep: number } | null;
  readonly room: { readonly free_bytes: number; readonly needed_bytes: number } | null;
}

export function operate<Body = ShownBackup>(
  { management }: Pick<Gateways, 'management'>,
  method: string,
  path = '',
  options: CallOptions = {},
): Promise<Reply<Body>> {
  return call<Body>(method, `${management}/platform/backups${path}`, { token: operatorKey, ...options });
}

export async function backupsOf(platform: Pick<Gateways, 'management'>): Promise<ShownBackups> {
  const reply = await operate<ShownBackups>(platform, 'GET');
  assert.equal(reply.status, 200, reply.text);
  return reply.body;
}

/** Asks until a backup is as it should be. */
export async function whenBackup(
  platform: Pick<Gateways, 'management'>,
  isSo: (backup: ShownBackup) => boolean,
): Promise<ShownBackup> {
  return eventually('a backup in the awaited state', async () => (await backupsOf(platform)).items.find(isSo));
}

/** Begins one, and gives it when it is complete and nothing runs any more. */
export async function madeBackup(platform: Pick<Gateways, 'management'>): Promise<ShownBackup> {
  const started = await operate(platform, 'POST');
  assert.equal(started.status, 202, started.text);
  const { name } = started.body;
  const made = await whenBackup(platform, (backup) => backup.name === name && backup.state !== 'running');
  assert.deepEqual([made.state, made.problem], ['complete', null]);
  return made;
}

/** Of the operator's log, the latest first: what was done to backups. */
export async function auditedBackups({ management }: Pick<Gateways, 'management'>, name: string) {
  const reply = await call<{
    readonly items: readonly {
      readonly action: string;
      readonly actor: { readonly kind: string };
      readonly detail?: Readonly<Record<string, string>>;
    }[];
  }>('GET', `${management}/platform/audit?target=${name}`, { token: operatorKey });
  assert.equal(reply.status, 200, reply.text);
  return reply.body.items.map(({ action, actor, detail }) => ({ action, by: actor.kind, detail }));
}

/** Settings of a platform that makes backups in a folder, with what holds them before their last step. */
export function backupSettings(folder: string, held?: string): Readonly<Record<string, string>> {
  const preload = new URL('./hold-backup.ts', import.meta.url).href;
  return {
    FREEHOLD_OPERATOR_KEY: operatorKey,
    FREEHOLD_BACKUP_DIR: join(folder, 'backups'),
    ...(held === undefined ? {} : { FREEHOLD_TEST_HOLD_FILE: held, NODE_OPTIONS: `--import=${preload}` }),
  };
}
