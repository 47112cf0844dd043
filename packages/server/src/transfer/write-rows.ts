import type { InputError } from '@freehold/contract/problem';
import type { ConfigSet } from '../config/port.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { Problem } from '../lib/problem.ts';
import type { RecordWriteDeps } from '../records/port.ts';
import { callAt, type RecordCall } from '../records/port.ts';
import { TooLarge } from '../store/port.ts';
import type { ImportRow } from './import-row.ts';
import { planRows, type RowsRequest, refusalErrors, type SettledRow } from './plan-rows.ts';

/** Writes rows in as few commits as can be, and tells what became of each, in their order. */
export type RowWriter = (rows: readonly ImportRow[]) => Promise<readonly SettledRow[]>;

interface WriterOptions extends Omit<RowsRequest, 'rows'> {
  /** The configuration as it is by now. */
  readonly latest: () => MaybePromise<ConfigSet>;
}

export function createRowWriter(parts: RecordWriteDeps, call: RecordCall, options: WriterOptions): RowWriter {
  let current = call;

  const writeFirst = async (rows: readonly ImportRow[]): Promise<Written> => {
    current = await callAt(current, await options.latest());
    const { plan } = await parts.writeLoop(current, [call.entity.name], async (config) =>
      planRows(parts, await callAt(current, config), { ...options, rows }),
    );
    return plan;
  };

  /** A commit that is refused as a whole is made again in halves, so that no row costs its neighbours. */
  const writeSome = async (rows: readonly ImportRow[]): Promise<Written> => {
    try {
      return await writeFirst(rows);
    } catch (error) {
      const errors = refusalOfRows(error);
      if (rows.length === 1) return { settled: rows.map(({ row }) => ({ row, errors })), rest: [] };
      const half = Math.ceil(rows.length / 2);
      return { settled: await writeAll(rows.slice(0, half)), rest: rows.slice(half) };
    }
  };

  const writeAll: RowWriter = async (rows) => {
    const all: SettledRow[] = [];
    let left = rows;
    while (left.length > 0) {
      const { settled, rest } = await writeSome(left);
      all.push(...settled);
      left = rest;
    }
    return all;
  };
  return writeAll;
}

interface Written {
  readonly settled: readonly SettledRow[];
  readonly rest: readonly ImportRow[];
}

/** @throws what has nothing to do with the rows: a failure, or that the entity is gone. */
function refusalOfRows(error: unknown): readonly InputError[] {
  if (error instanceof TooLarge)
    return [{ pointer: '', code: 'too_large', message: 'the record would be larger than one write may be' }];
  if (error instanceof Problem && error.code === 'not_found') throw error;
  return refusalErrors(error);
}
