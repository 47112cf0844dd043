import { type CellState, stateNames } from '../../components/decision/cell-state.ts';
import type { Cell, MatrixRow, Verb } from './queries.ts';

/** What may be done to the records of an entity; or `run`, to a logic block. */
export type CellVerb = Verb | 'run';

/** In the order of the columns of entities. */
export const verbs: readonly Verb[] = ['get', 'list', 'browse', 'count', 'create', 'update', 'delete'];

export const cellVerbs: readonly CellVerb[] = [...verbs, 'run'];

/** The cells of a row of the table: those of an entity, or the one of a logic block. */
export type Cells = Readonly<Partial<Record<CellVerb, Cell>>>;

/** The rows of logic blocks, as those of entities are. */
export function blockRows({ logicblocks }: MatrixRow): readonly (readonly [string, Cells])[] {
  return Object.entries(logicblocks).map(([name, run]) => [name, { run }]);
}

/** What a cell says at a glance. What depends on a record, a condition or a field is not simply allowed. */
export function stateOf({ decision, conditional, Fields }: Cell): CellState {
  switch (decision) {
    case 'undecided':
      return 'conditional';
    case 'allowed':
      return conditional === true || Fields !== undefined ? 'conditional' : 'allowed';
    case 'explicit_deny':
      return 'denied';
    case 'implicit_deny':
      return conditional === true ? 'conditional' : 'none';
  }
}

/** The action on an entity or a logic block, and a resource that stands for every record of the entity. */
export function callOfCell(entity: string, verb: CellVerb): { readonly action: string; readonly resource: string } {
  const paths: Readonly<Record<CellVerb, string>> = {
    get: `/item/${entity}/${anyRecord}`,
    list: `/list/${entity}`,
    browse: `/list/${entity}`,
    count: `/count/${entity}`,
    create: `/create/${entity}`,
    update: `/update/${entity}/${anyRecord}`,
    delete: `/delete/${entity}/${anyRecord}`,
    run: `/logicblocks/${entity}`,
  };
  return { action: verb + entity, resource: paths[verb] };
}

/** A UUID that no record has. */
const anyRecord = '00000000-0000-0000-0000-000000000000';

const columns = ['user', 'status', 'entity', 'verb', 'access', 'policy', 'statement', 'group', 'fields', 'logicblock'];

/** The matrix as rows of a table for auditors, its head first. A row names an entity or, in the last column, a logic block. */
export function tableOf(rows: readonly MatrixRow[]): readonly (readonly string[])[] {
  const lines = rows.flatMap((row) => {
    const { email, status, entities } = row;
    const lineOf = (entity: string, verb: CellVerb, cell: Cell, block: string) => {
      const { policy = '', Sid = '', group = '', Fields = [] } = cell;
      const access = stateNames[stateOf(cell)];
      return [email, status, entity, verb, access, policy, Sid, group, Fields.join(' '), block];
    };
    return [
      ...Object.entries(entities).flatMap(([entity, cells]) =>
        verbs.map((verb) => lineOf(entity, verb, cells[verb], '')),
      ),
      ...Object.entries(row.logicblocks).map(([block, cell]) => lineOf('', 'run', cell, block)),
    ];
  });
  return [columns, ...lines];
}

/** Comma-separated values (RFC 4180). A value that a spreadsheet would take for a formula gets an apostrophe before it. */
export function csvOf(table: readonly (readonly string[])[]): string {
  return table.map((row) => `${row.map(csvValue).join(',')}\r\n`).join('');
}

function csvValue(value: string): string {
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
