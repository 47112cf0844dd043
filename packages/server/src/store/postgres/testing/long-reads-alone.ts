import type { BoundedMeasure, BoundedSelect } from '../../engine.ts';
import { keyBounds } from '../../key-bounds.ts';
import type { MeasureRead, SelectRead } from '../../port.ts';
import { parseAddress } from '../address.ts';
import { Connection, useLongReadSettings } from '../connections/connection.ts';
import { CommitConnections, ReadConnections } from '../connections/pools.ts';
import { type LongReadLimits, LongReads } from '../query/long-reads.ts';

/** Long reads of a store that is there, with limits and connections of their own: one for plain statements, one for windows. */
export function openLongReads(url: string, space: string, set: LongReadLimits) {
  const address = parseAddress(url);
  const open = () => Connection.open(address, { statement: 3000, lock: 3000 });
  const reads = new ReadConnections(1, open);
  const windows = new CommitConnections(1, async () => useLongReadSettings(await open()));
  const pools = {
    read: reads.read.bind(reads),
    long: <T>(_: string, work: (connection: Connection) => Promise<T>, signal?: AbortSignal) =>
      windows.use(work, signal),
  };
  return {
    reads: new LongReads(pools, `${address.schema}_${space}`, set),
    close: async () => void (await Promise.all([reads.close(), windows.close()])),
  };
}

export function boundedSelect(pk: string, read: SelectRead): BoundedSelect {
  const { reverse: isReverse = false, bytesMax = Number.POSITIVE_INFINITY } = read;
  return { ...read, ...keyBounds(read), pk, isReverse, bytesMax };
}

export function boundedMeasure(pk: string, read: MeasureRead): BoundedMeasure {
  return { ...read, ...keyBounds(read), pk, isReverse: read.reverse ?? false };
}
