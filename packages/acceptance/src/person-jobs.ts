/** Jobs about all data of one person, as an org admin asks for them. */
import assert from 'node:assert/strict';
import type { Reply } from './call.ts';
import { eventually } from './eventually.ts';
import { type AppUser, manage, type Org } from './org.ts';

export interface PersonJob {
  readonly id: string;
  readonly kind: string;
  readonly user_id: string;
  readonly dry_run: boolean;
  readonly state: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly workspaces: readonly { readonly tenant_code: string; readonly member: boolean; readonly records: number }[];
  readonly problems: readonly { readonly entity: string; readonly id: string; readonly code: string }[];
  readonly problems_total: number;
  readonly stays: readonly { readonly what: string; readonly why: string; readonly count: number | null }[];
  readonly file: { readonly bytes: number; readonly lines: number; readonly expires_at: string } | null;
}

export type Choice = 'keep' | 'delete_owned' | 'delete_created';

export function tryErase(org: Org, user: Pick<AppUser, 'id' | 'email'>, records: Choice): Promise<Reply<PersonJob>> {
  const body = { env: 'test', records, confirm: user.email };
  return manage<PersonJob>(org, 'POST', `/org/app-users/${user.id}/erase`, { body });
}

/** The job at its end. */
export async function ended(org: Org, started: Reply<PersonJob>, env = 'test'): Promise<PersonJob> {
  assert.equal(started.status, 202, started.text);
  return eventually('the end of the job', async () => {
    const { status, text, body } = await manage<PersonJob>(
      org,
      'GET',
      `/org/person-jobs/${started.body.id}?env=${env}`,
    );
    assert.equal(status, 200, text);
    return body.state !== 'queued' && body.state !== 'running' && body;
  });
}

export async function erase(org: Org, user: AppUser, records: Choice): Promise<PersonJob> {
  return done(await ended(org, await tryErase(org, user, records)));
}

export async function previewErase(org: Org, { id }: Pick<AppUser, 'id'>, records: Choice): Promise<PersonJob> {
  const body = { env: 'test', records };
  const started = await manage<PersonJob>(org, 'POST', `/org/app-users/${id}/erase?dry_run=true`, { body });
  return done(await ended(org, started));
}

export function done(job: PersonJob): PersonJob {
  assert.deepEqual([job.state, job.error], ['done', null], JSON.stringify(job));
  return job;
}

/** The lines of the export of a person. */
export async function exported(org: Org, { id }: Pick<AppUser, 'id'>, env = 'test'): Promise<readonly Line[]> {
  const started = await manage<PersonJob>(org, 'POST', `/org/app-users/${id}/export`, { body: { env } });
  const job = done(await ended(org, started, env));
  const file = await manage(org, 'GET', `/org/person-jobs/${job.id}/file?env=${env}`);
  assert.equal(file.status, 200, file.text);
  const lines = file.text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): Line => JSON.parse(line));
  assert.deepEqual([job.file?.lines, job.file?.bytes], [lines.length, Buffer.byteLength(file.text)]);
  return lines;
}

export interface Line {
  readonly kind: string;
  readonly [member: string]: unknown;
}
