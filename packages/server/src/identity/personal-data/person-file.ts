/** The file of an export, in pieces: written one by one, and read again in their order. */
import type { Change, Put, Scope } from '../../store/port.ts';
import { fileExpiry, filePartition, type JobRow, jobPartition, personJobs } from './person-job.ts';

/** In characters; a piece is far below what an item may hold. */
const chunkCharacters = 256 * 1024;

export interface WrittenFile {
  readonly file: NonNullable<JobRow['file']>;
  readonly puts: readonly Put[];
}

/** The pieces that lines are written as, behind those that stand. */
export function writeLines(jobId: string, job: JobRow, lines: readonly string[]): WrittenFile {
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
