/** Orders rows so that each comes after the rows that it refers to. */
import { keyOfReference } from './references.ts';
import { type SeedRow, textOfValue } from './seed-row.ts';

export type Ordered =
  /** Rows of one wave refer to rows of earlier waves only. */
  | { readonly waves: readonly (readonly SeedRow[])[] }
  /** The places of rows that refer to one another in a circle, the first of them again at the end. */
  | { readonly cycle: readonly string[] };

export function orderRows(rows: readonly SeedRow[]): Ordered {
  const before = rowsBefore(rows);
  const level = new Map<SeedRow, number>();
  for (const row of rows) {
    const cycle = setLevels(row, before, level);
    if (cycle !== undefined) return { cycle: cycle.map(({ place }) => place) };
  }
  const waves: SeedRow[][] = [];
  for (const row of rows) {
    const wave = level.get(row) ?? 0;
    waves[wave] ??= [];
    waves[wave].push(row);
  }
  return { waves };
}

/**
 * Sets the level of a row and of all that it refers to, without recursion: a chain of references may be as long as the
 * files.
 * @returns the rows of a cycle if there is one.
 */
function setLevels(
  start: SeedRow,
  before: ReadonlyMap<SeedRow, readonly SeedRow[]>,
  level: Map<SeedRow, number>,
): readonly SeedRow[] | undefined {
  const path = level.has(start) ? [] : [start];
  const onPath = new Set(path);
  for (let row = path.at(-1); row !== undefined; row = path.at(-1)) {
    const needed = before.get(row) ?? [];
    const open = needed.find((other) => !level.has(other));
    if (open === undefined) {
      level.set(
        row,
        needed.reduce((highest, other) => Math.max(highest, (level.get(other) ?? 0) + 1), 0),
      );
      onPath.delete(row);
      path.pop();
    } else if (onPath.has(open)) {
      return [...path.slice(path.indexOf(open)), open];
    } else {
      onPath.add(open);
      path.push(open);
    }
  }
  return undefined;
}

/** For each row the rows that it refers to; a reference that no row answers is left to the platform. */
function rowsBefore(rows: readonly SeedRow[]): ReadonlyMap<SeedRow, readonly SeedRow[]> {
  const shapes = shapesOf(rows);
  const found = new Map<string, SeedRow[]>();
  for (const row of rows)
    for (const fields of shapes.get(row.entity)?.values() ?? []) {
      const where = fields.map((field) => [field, textOfValue(row.values[field])] as const);
      const key = JSON.stringify([row.workspace, row.entity, ...where]);
      found.set(key, [...(found.get(key) ?? []), row]);
    }
  return new Map(
    rows.map((row) => [
      row,
      row.references.flatMap(
        (reference) => found.get(`["${row.workspace}",${keyOfReference(reference).slice(1)}`) ?? [],
      ),
    ]),
  );
}

/** By which fields the records of each entity are referred to. */
function shapesOf(rows: readonly SeedRow[]): ReadonlyMap<string, ReadonlyMap<string, readonly string[]>> {
  const shapes = new Map<string, Map<string, readonly string[]>>();
  for (const { entity, where } of rows.flatMap(({ references }) => references)) {
    const fields = where.map(([field]) => field);
    const ofEntity = shapes.get(entity) ?? new Map<string, readonly string[]>();
    shapes.set(entity, ofEntity.set(fields.join(), fields));
  }
  return shapes;
}
