/** Selects and measures by reading: for scopes that lay writes of their own over a store, and where no engine is asked. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { meetsWhere } from '../lib/where.ts';
import { Measuring } from './measuring.ts';
import {
  type FollowedEntry,
  isIndexPartition,
  type Measured,
  type MeasureRead,
  type Range,
  type Scope,
  type Selected,
  type SelectRead,
} from './port.ts';

type Reader = Pick<Scope, 'range' | 'follow'>;

const rowsAtOnce = 200;
const bytesAtOnce = 1024 * 1024;

/** In parts, each of a snapshot of its own. */
export async function selectByReading(reader: Reader, pk: string, read: SelectRead): Promise<Selected> {
  const { where, limit, bytesMax = Number.POSITIVE_INFINITY } = read;
  const entries: FollowedEntry[] = [];
  let bytes = 0;
  if (limit === 0) return { entries, rows: 0, next: '' };
  const { rows, next, isCut } = await readEach(reader, pk, read, (entry) => {
    if (!meetsWhere(where, JSON.parse(entry.value))) return true;
    entries.push(entry);
    bytes += Buffer.byteLength(entry.value);
    return entries.length < limit && bytes <= bytesMax;
  });
  return { entries, rows, next, ...(isCut ? { endedBy: 'rows' } : {}) };
}

export async function measureByReading(reader: Reader, pk: string, read: MeasureRead): Promise<Measured> {
  const measuring = new Measuring(read);
  const { rows, next, isCut } = await readEach(reader, pk, read, ({ value }) => {
    const record: unknown = JSON.parse(value);
    if (meetsWhere(read.where, record)) measuring.add(record);
    return measuring.size <= read.groupsMax;
  });
  const groups = measuring.groups();
  if (measuring.size > read.groupsMax) return { groups, rows, next, endedBy: 'groups' };
  return { groups, rows, next, ...(isCut ? { endedBy: 'rows' } : {}) };
}

interface PartRead {
  readonly rows: number;
  readonly next: string | undefined;
  /** Whether `rowsMax` ended it. */
  readonly isCut: boolean;
}

/** @param take whether to go on. */
async function readEach(
  reader: Reader,
  pk: string,
  read: Range & Pick<SelectRead, 'rowsMax' | 'signal'>,
  take: (entry: FollowedEntry) => boolean,
): Promise<PartRead> {
  let rows = 0;
  let next: string | undefined;
  while (rows < read.rowsMax) {
    read.signal?.throwIfAborted();
    const range = {
      ...partBehind(read, next),
      limit: Math.min(rowsAtOnce, read.rowsMax - rows),
      bytesMax: bytesAtOnce,
    };
    const found = isIndexPartition(pk) ? await reader.follow(pk, range) : await reader.range(pk, range);
    for (const { sk, version, value } of found) {
      rows += 1;
      next = sk;
      if (!take({ sk, version, value })) return { rows, next, isCut: false };
    }
    if (found.length === 0) return { rows, next: undefined, isCut: false };
    // A read in this process gives its result at once: others have their turn.
    await nextTurn();
  }
  return { rows, next, isCut: true };
}

function partBehind({ prefix, after, before, reverse }: Range, next: string | undefined): Range {
  return {
    ...(prefix === undefined ? {} : { prefix }),
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
    ...(reverse === undefined ? {} : { reverse }),
    ...(next === undefined ? {} : reverse === true ? { before: next } : { after: next }),
  };
}
