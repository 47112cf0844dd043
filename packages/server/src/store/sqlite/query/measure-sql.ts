import type { MemberPath, MemberType, MemberValue } from '../../../lib/where.ts';
import type { GroupMember, Measure, MeasuredGroup, MeasureRead, MeasureResult } from '../../port.ts';
import { fixed, listed, type Sql, sql } from './sql.ts';
import { boundValue, mayBeOrderedOtherwise, typedSql } from './where-sql.ts';

type Cell = string | number | null;
type Row = readonly Cell[];

/** One statement for the figures of an interval. */
export interface MeasureStatement {
  /** @param records `from` and `where` of the records. */
  of(records: Sql): Sql;
  /** Undefined where SQLite sees a text of the interval in another way: its records are to be looked at one by one. */
  groupsOf(rows: readonly Row[]): readonly MeasuredGroup[] | undefined;
}

export function measureStatement({
  condition,
  group,
  measures,
}: Pick<MeasureRead, 'group' | 'measures'> & { readonly condition: Sql }): MeasureStatement {
  const members = new Members();
  const keys = group.map((member) => keyColumn(member, members));
  const figures = measures.map((measure) => figureOf(measure, members));
  const columns = [
    ...keys.map(({ column }) => column),
    ...figures.flatMap((figure) => figure.columns),
    members.isOther,
  ];
  const grouping = fixed(keys.length === 0 ? '' : `group by ${keys.map((_, at) => at + 1).join(', ')}`);
  return {
    // Without the limit, SQLite would work out a member again wherever it is named.
    of: (records) => sql`
      select ${listed(columns)} from (
        select ${members.columns} ${records} and (${condition}) limit -1) ${grouping}`,
    groupsOf: (rows) =>
      rows.some((row) => row.at(-1) === 1) ? undefined : rows.map((row) => groupOf(row, keys, figures)),
  };
}

function groupOf(row: Row, keys: readonly KeyColumn[], figures: readonly FigureColumns[]): MeasuredGroup {
  const key = keys.map(({ cellValue }, at) => cellValue(row[at] ?? null) ?? null);
  const results: MeasureResult[] = [];
  let at = keys.length;
  for (const { columns, read } of figures) {
    results.push(read(row.slice(at, at + columns.length)));
    at += columns.length;
  }
  return { key, results };
}

/** The members that a measure names, each of which is taken out of a record once. */
class Members {
  readonly #texts = new Map<string, Sql>();
  readonly #ofText: Sql[] = [];

  /** The name of the column with the value, or null. */
  column(path: MemberPath, type: MemberType): Sql {
    const value = typedSql(path, type);
    const name = `member_${[...this.#texts.keys(), value.text].indexOf(value.text)}`;
    if (!this.#texts.has(value.text)) {
      this.#texts.set(value.text, sql`${value} as ${fixed(name)}`);
      if (type === 'text') this.#ofText.push(value);
    }
    return fixed(name);
  }

  get columns(): Sql {
    return listed([...this.#texts.values(), sql`${this.#isOther} as is_other`]);
  }

  /** Of a group: 1 where SQLite orders or returns a text in another way than this process does. */
  get isOther(): Sql {
    return fixed('ifnull(max(is_other), 0)');
  }

  get #isOther(): Sql {
    if (this.#ofText.length === 0) return fixed('0');
    return sql`ifnull(${listed(
      this.#ofText.map((text) => sql`ifnull(${mayBeOrderedOtherwise(text)}, 0)`),
      ' or ',
    )}, 0)`;
  }
}

interface KeyColumn {
  readonly column: Sql;
  cellValue(cell: Cell): MemberValue | undefined;
}

function keyColumn({ path, type, bounds }: GroupMember, members: Members): KeyColumn {
  const member = members.column(path, type);
  if (bounds === undefined) return { column: member, cellValue: (cell) => typedCell(cell, type) };
  return {
    column: sql`case when ${member} is not null then ${boundsSql(member, bounds, { low: 0, high: bounds.length })} end`,
    cellValue: (cell) => cell ?? undefined,
  };
}

/** How many bounds are at most the value, found in as few steps as there are halves. */
function boundsSql(
  member: Sql,
  bounds: readonly MemberValue[],
  { low, high }: { readonly low: number; readonly high: number },
): Sql {
  const middle = (low + high) >>> 1;
  const value = bounds[middle];
  if (low >= high || value === undefined) return fixed(String(low));
  const below = boundsSql(member, bounds, { low, high: middle });
  const above = boundsSql(member, bounds, { low: middle + 1, high });
  return sql`case when ${member} < ${boundValue(value)} then ${below} else ${above} end`;
}

interface FigureColumns {
  readonly columns: readonly Sql[];
  read(cells: Row): MeasureResult;
}

function figureOf(measure: Measure, members: Members): FigureColumns {
  if (measure.kind === 'count')
    return { columns: [fixed('count(*)')], read: ([count]) => ({ kind: 'count', count: Number(count) }) };
  const { kind, type } = measure;
  const member = members.column(measure.path, type);
  switch (kind) {
    case 'sum':
      return type === 'integer' ? wholeSum(member) : doubleSum(member);
    case 'min':
    case 'max':
      return {
        columns: [sql`${fixed(kind)}(${member})`],
        read: ([cell = null]) => ({ kind, value: typedCell(cell, type) }),
      };
    case 'distinct':
      return {
        columns: [sql`json_group_array(distinct ${member}) filter (where ${member} is not null)`],
        read: ([cell]) => ({ kind, values: new Set(cellsOf(cell).flatMap((one) => typedCell(one, type) ?? [])) }),
      };
  }
}

/** In two parts, of which no sum leaves what SQLite or a double holds exactly. */
function wholeSum(member: Sql): FigureColumns {
  return {
    columns: [
      sql`count(${member})`,
      sql`ifnull(sum(${member} >> ${fixed(String(lowBits))}), 0)`,
      sql`ifnull(sum(${member} & ${fixed(String(2 ** lowBits - 1))}), 0)`,
    ],
    read: ([count, high, low]) => ({
      kind: 'sum',
      count: Number(count),
      sum: (BigInt(high ?? 0) << BigInt(lowBits)) + BigInt(low ?? 0),
    }),
  };
}

const lowBits = 26;

/** SQLite adds up what each addition loses, and has null for what is no number. */
function doubleSum(member: Sql): FigureColumns {
  return {
    columns: [sql`count(${member})`, sql`total(${member})`],
    read: ([count, total]) => ({ kind: 'sum', count: Number(count), sum: total === null ? Number.NaN : Number(total) }),
  };
}

function cellsOf(json: Cell | undefined): readonly Cell[] {
  return JSON.parse(String(json));
}

function typedCell(cell: Cell, type: MemberType): MemberValue | undefined {
  if (cell === null) return undefined;
  return type === 'boolean' ? cell === 1 : cell;
}
