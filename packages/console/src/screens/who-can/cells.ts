import { type CellState, stateNames } from '../../components/decision/cell-state.ts';
import type { Cell, MatrixRow, Verb } from './queries.ts';

/** In the order of the columns. */
export const verbs: readonly Verb[] = ['get', 'list', 'browse', 'count', 'create', 'update', 'delete'];

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

/** The action and a resource that stands for every record of the entity. */
export function callOfCell(entity: string, verb: Verb): { readonly action: string; readonly resource: string } {
  const paths: Readonly<Record<Verb, string>> = {
    get: `/item/${entity}/${anyRecord}`,
    list: `/list/${entity}`,
    browse: `/list/${entity}`,
    count: `/count/${entity}`,
    create: `/create/${entity}`,
    update: `/update/${entity}/${anyRecord}`,
    delete: `/delete/${entity}/${anyRecord}`,
  };
  return { action: verb + entity, resource: paths[verb] };
}

/** A UUID that no record has. */
const anyRecord = '00000000-0000-0000-0000-000000000000';

const columns = ['user', 'status', 'entity', 'verb', 'access', 'policy', 'statement', 'group', 'fields'] as const;

/** The matrix as rows of a table for auditors, its head first. */
export function tableOf(rows: readonly MatrixRow[]): readonly (readonly string[])[] {
  const lines = rows.flatMap(({ email, status, entities }) =>
    Object.entries(entities).flatMap(([entity, cells]) =>
      verbs.map((verb) => {
        const cell = cells[verb];
        const { policy = '', Sid = '', group = '', Fields = [] } = cell;
        return [email, status, entity, verb, stateNames[stateOf(cell)], policy, Sid, group, Fields.join(' ')];
      }),
    ),
  );
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
