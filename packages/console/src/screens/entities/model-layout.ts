/** Where the boxes of a model diagram stand: what is looked up on the left, what looks it up to the right of it. */

export interface Modelled {
  readonly name: string;
  readonly lookups: readonly { readonly field: string; readonly entity: string }[];
}

export interface Box extends Modelled {
  readonly x: number;
  readonly y: number;
  readonly height: number;
}

export interface Line {
  readonly id: string;
  readonly path: string;
}

export interface Model {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  /** Entities that look up none and that none looks up. */
  readonly alone: readonly string[];
  readonly width: number;
  readonly height: number;
}

export const boxWidth = 190;
const columnGap = 90;
const rowGap = 24;
const nameHeight = 38;
const fieldHeight = 20;

/** Lays the entities out. Entities that are looked up and not listed, such as `user`, have boxes too. */
export function layoutOf(entities: readonly Modelled[]): Model {
  const byName = new Map(entities.map((entity) => [entity.name, entity]));
  const targets = new Set(entities.flatMap(({ lookups }) => lookups.map(({ entity }) => entity)));
  for (const name of targets) if (!byName.has(name)) byName.set(name, { name, lookups: [] });
  const isAlone = ({ name, lookups }: Modelled) => lookups.length === 0 && !targets.has(name);
  const linked = [...byName.values()].filter((entity) => !isAlone(entity));
  const columns = columnsOf(linked, byName);
  const boxes = columns.flatMap((column, index) => placed(column, index));
  return {
    boxes,
    lines: linesOf(boxes),
    alone: entities.filter(isAlone).map(({ name }) => name),
    width: columns.length === 0 ? 0 : columns.length * (boxWidth + columnGap) - columnGap,
    height: Math.max(0, ...boxes.map(({ y, height }) => y + height)),
  };
}

/** An entity is one column to the right of the last entity that it looks up. A circle is cut where it is entered. */
function columnsOf(
  linked: readonly Modelled[],
  byName: ReadonlyMap<string, Modelled>,
): readonly (readonly Modelled[])[] {
  const depths = new Map<string, number>();
  const depthOf = (name: string, path: ReadonlySet<string>): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const within = new Set(path).add(name);
    const others = (byName.get(name)?.lookups ?? [])
      .map(({ entity }) => entity)
      .filter((entity) => !within.has(entity));
    const depth = Math.max(-1, ...others.map((entity) => depthOf(entity, within))) + 1;
    depths.set(name, depth);
    return depth;
  };
  const columns: Modelled[][] = [];
  for (const entity of linked) {
    const depth = depthOf(entity.name, new Set());
    while (columns.length <= depth) columns.push([]);
    columns[depth]?.push(entity);
  }
  return columns;
}

function placed(column: readonly Modelled[], index: number): readonly Box[] {
  let y = 0;
  return column.map((entity) => {
    const height = nameHeight + entity.lookups.length * fieldHeight;
    const box = { ...entity, x: index * (boxWidth + columnGap), y, height };
    y += height + rowGap;
    return box;
  });
}

function linesOf(boxes: readonly Box[]): readonly Line[] {
  const byName = new Map(boxes.map((box) => [box.name, box]));
  return boxes.flatMap((box) =>
    box.lookups.flatMap(({ field, entity }, index) => {
      const target = byName.get(entity);
      if (target === undefined) return [];
      const from = { x: box.x, y: box.y + nameHeight + (index + 0.5) * fieldHeight - 4 };
      const isBack = target.x >= box.x;
      const to = { x: isBack ? target.x : target.x + boxWidth, y: target.y + nameHeight / 2 };
      const bend = isBack ? columnGap / 2 : (from.x - to.x) / 2;
      const end = isBack ? to.x - bend : to.x + bend;
      return [
        {
          id: `${box.name}.${field}`,
          path: `M${from.x} ${from.y}C${from.x - bend} ${from.y} ${end} ${to.y} ${to.x} ${to.y}`,
        },
      ];
    }),
  );
}
