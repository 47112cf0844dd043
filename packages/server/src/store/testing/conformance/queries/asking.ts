/** Shared parts of the cases of questions about records. */
import { always, type Where } from '../../../../lib/where.ts';
import type { Measured, MeasureRead, Scope, Selected, SelectRead } from '../../../port.ts';
import { fill, put } from '../bench.ts';

/** Ten numbered records, of which every third is `wanted`. */
export async function numbered(scope: Scope): Promise<void> {
  await stock(
    scope,
    Array.from({ length: 10 }, (_, at) => [`k${at}`, JSON.stringify({ n: at, wanted: at % 3 === 0 })] as const),
  );
}

export const wanted: Where = { kind: 'compare', path: ['wanted'], type: 'boolean', operator: 'eq', value: true };
export const n = { path: ['n'], type: 'integer' } as const;

export async function stock(scope: Scope, records: readonly (readonly [sk: string, value: string])[]): Promise<void> {
  await fill(
    scope,
    records.map(([sk, value]) => put('p', sk, { value })),
  );
}

/** More than a case has as a rule; an engine that reads in circles comes to an end. */
const rowsAtMost = 100;

export function select(
  scope: Scope,
  { pk = 'p', ...read }: Partial<SelectRead> & { readonly pk?: string },
): Promise<Selected> {
  return scope.select(pk, { where: always, limit: 10_000, rowsMax: rowsAtMost, ...read });
}

export function measure(
  scope: Scope,
  { pk = 'p', ...read }: Partial<MeasureRead> & { readonly pk?: string },
): Promise<Measured> {
  const defaults = {
    where: always,
    group: [],
    measures: [{ kind: 'count' }],
    rowsMax: rowsAtMost,
    groupsMax: 10_000,
  } as const;
  return scope.measure(pk, { ...defaults, ...read });
}

export async function keysOf(scope: Scope, where: Where): Promise<readonly string[]> {
  return (await select(scope, { where })).entries.map(({ sk }) => sk);
}

export function shape({ entries, ...end }: Selected) {
  return { keys: entries.map(({ sk }) => sk), ...end };
}

export function countsOf({ groups }: Measured): Readonly<Record<string, number>> {
  const counts = groups.map(
    ({ key, results: [first] }) => [JSON.stringify(key), first?.kind === 'count' ? first.count : -1] as const,
  );
  return Object.fromEntries(counts.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
