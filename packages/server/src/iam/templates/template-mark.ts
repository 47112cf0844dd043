import { hash } from 'node:crypto';
import { json, table } from '../../store/table.ts';

/** What of a workspace its template has made, and as what. Absent in workspaces that earlier releases founded. */
export interface TemplateMark {
  /** When the template was last applied. */
  readonly at: string;
  /** Of the whole template that was. */
  readonly digest: string;
  readonly policies: readonly MarkedRecord[];
  readonly groups: readonly MarkedRecord[];
}

/** While a record has this id and digest, the workspace has not changed it. */
export interface MarkedRecord {
  readonly name: string;
  readonly id: string;
  readonly digest: string;
}

/** In the scope of the workspace. */
export const templateMarks = table(
  (_: undefined) => ({ pk: 'workspace', sk: 'template' }),
  json<TemplateMark>('mark of a template', { at: 'string', digest: 'string', policies: 'object', groups: 'object' }),
);

/** Of JSON, however its members are ordered. */
export function contentDigest(content: unknown): string {
  return hash('sha256', JSON.stringify(content, sorted), 'base64url');
}

/** Of the policies of a group, in any order. */
export function policiesDigest(ids: readonly string[]): string {
  return contentDigest([...new Set(ids)].sort());
}

function sorted(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
