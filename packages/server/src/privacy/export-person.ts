/** The data of a person as lines of a file, which is kept in pieces. */
import { timestamp } from '../lib/clock.ts';
import { Problem } from '../lib/problem.ts';
import type { Change, Put, Scope } from '../store/port.ts';
import type { Row } from '../store/table.ts';
import type { Workspace } from '../tenancy/port.ts';
import type { RecordsPage } from './named-records.ts';
import type {
  PersonAccount,
  PersonFindings,
  PersonJobRun,
  PersonJobStep,
  RecordFindings,
  Worker,
} from './person-data.ts';
import { added, fileExpiry, filePartition, type JobRow, jobPartition, noCounts, personJobs } from './person-job.ts';

export const exportWorker: Worker = {
  account: exportAccount,
  identity: exportIdentity,
  records: async ({ job }, workspace, page) => {
    requireRoom(job);
    return exportRecords(workspace, page);
  },
  inWorkspace: 'export',
  finish: exportEnd,
};

const exportBytesMax = 256 * 1024 * 1024;

/** @throws Problem where the file has become too large. */
function requireRoom({ file }: JobRow): void {
  if (file === undefined || file.bytes <= exportBytesMax) return;
  throw new Problem(
    'body_too_large',
    `the data of the person is larger than ${exportBytesMax} bytes, the most that a file holds`,
  );
}

function exportAccount({ deps, job, work }: PersonJobRun, account: PersonAccount): PersonFindings {
  const head = { kind: 'export', format: 1, env: work.env, user_id: job.user_id, requested_at: job.created_at };
  return {
    counts: { accounts: 1 },
    lines: [
      ...(job.file === undefined && account.id === job.user_id ? [JSON.stringify(head)] : []),
      JSON.stringify({ kind: 'account', ...deps.accounts.exported(account) }),
    ],
  };
}

function exportIdentity({ deps }: PersonJobRun, { sk, value: account_id }: Row<string>): PersonFindings {
  const line = { kind: 'identity', account_id, ...deps.accounts.exportedIdentity(sk) };
  return { counts: { identities: 1 }, lines: [JSON.stringify(line)] };
}

/** Records that only mention the person are about others as well, so they are counted and not shown. */
function exportRecords({ tenantCode }: Workspace, { named, next }: RecordsPage): RecordFindings {
  let counts = noCounts;
  const lines: string[] = [];
  for (const { entity, record, relation } of named) {
    counts = added(counts, { [relation]: 1 });
    if (relation !== 'owned' && relation !== 'created') continue;
    const data = { ...record.data, version: record.version };
    lines.push(JSON.stringify({ kind: 'record', tenant_code: tenantCode, entity: entity.name, relation, data }));
  }
  return { counts, lines, next };
}

async function exportEnd({ deps, job }: PersonJobRun): Promise<PersonJobStep> {
  const { accounts, identities, memberships, invitations, owned, created, linked, named } = job.counts;
  const counts = { accounts, identities, memberships, invitations, owned, created, linked, named };
  return {
    job: { ...job, state: 'done', finished_at: timestamp(deps.clock.now()) },
    lines: [JSON.stringify({ kind: 'end', counts })],
  };
}

/** In characters; a piece is far below what an item may hold. */
const chunkCharacters = 256 * 1024;

/** The pieces that lines are written as, behind the existing ones. */
export function writeLines(jobId: string, job: JobRow, lines: readonly string[]) {
  const before = job.file ?? { bytes: 0, lines: 0, chunks: 0 };
  const text = lines.map((line) => `${line}\n`).join('');
  const puts: Put[] = [];
  for (let start = 0; start < text.length; ) {
    const end = chunkEnd(text, start);
    const sk = seqText(before.chunks + puts.length);
    const due = { at: fileExpiry(job), queue: 'expire' } as const;
    puts.push({ kind: 'put', pk: filePartition(jobId), sk, value: text.slice(start, end), if: 'any', due });
    start = end;
  }
  const bytes = before.bytes + Buffer.byteLength(text);
  return { file: { bytes, lines: before.lines + lines.length, chunks: before.chunks + puts.length }, puts };
}

/** A pair of surrogates stays together: half of one is no text. */
function chunkEnd(text: string, start: number): number {
  const end = Math.min(start + chunkCharacters, text.length);
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}

export async function* readFile(scope: Scope, jobId: string): AsyncGenerator<string> {
  const pk = filePartition(jobId);
  for (let after: string | undefined; ; ) {
    const [chunk] = await scope.range(pk, { ...(after === undefined ? {} : { after }), limit: 1 });
    if (chunk === undefined) return;
    yield chunk.value;
    after = chunk.sk;
  }
}

const jobsMax = 2000;
const chunksPerStep = 100;

/** Takes away the first of what is left of files about a person. */
export async function filesOf(scope: Scope, ids: ReadonlySet<string>): Promise<readonly Change[]> {
  const rows = await personJobs.range(scope, jobPartition, { limit: jobsMax });
  for (const row of rows) {
    const { file, ...job } = row.value;
    if (file === undefined || !ids.has(job.user_id)) continue;
    const chunks = await scope.range(filePartition(row.sk), { limit: chunksPerStep });
    const removals = chunks.map(({ pk, sk }): Change => ({ kind: 'remove', pk, sk, if: 'any' }));
    return [...removals, ...(chunks.length < chunksPerStep ? [personJobs.replace(row, job)] : [])];
  }
  return [];
}

function seqText(seq: number): string {
  return String(seq).padStart(10, '0');
}
