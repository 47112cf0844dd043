import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { parseStatements, type Statement } from '../../access/port.ts';
import type { RecordData } from '../../records/port.ts';
import { json, type Row, table } from '../../store/table.ts';
import type { Workspace } from '../../tenancy/port.ts';
import type { WorkspaceTemplates } from '../founding/describe-templates.ts';
import { platformGroups, platformPolicies, policyIdsOf, recordByName } from '../policies/held-policies.ts';

/** Differences of a workspace from the template of its org. */

export interface ComparedItem {
  readonly kind: 'policy' | 'group';
  readonly name: string;
  readonly state: 'same' | 'missing' | 'changed';
  /**
   * Whether the workspace itself may have made the difference: it has changed or removed what the template made, or the
   * template is not known to have made it.
   */
  readonly isLocal: boolean;
  readonly stored: RecordData | undefined;
}

export interface TemplateComparison {
  readonly mark: Row<TemplateMark> | undefined;
  /** The policies and groups of the template, in its order, policies first. */
  readonly items: readonly ComparedItem[];
  /** The ids of the policies that a group of the template may name, as far as they are there. */
  readonly policyIds: ReadonlyMap<string, string>;
  /** The number of the platform's own policies and groups in it. */
  readonly platform: number;
}

/** A bounded number of reads: each policy and group of the template by its name. */
export async function compareTemplate(
  { scope }: Pick<Workspace, 'scope'>,
  templates: WorkspaceTemplates,
): Promise<TemplateComparison> {
  const [mark, policies, groups, ownPolicies, ownGroups] = await Promise.all([
    templateMarks.read(scope, undefined),
    Promise.all(templates.policies.map(({ name }) => recordByName(scope, 'aclpolicy', name))),
    Promise.all(templates.groups.map(({ name }) => recordByName(scope, 'group', name))),
    Promise.all(platformPolicies.map((name) => recordByName(scope, 'aclpolicy', name))),
    Promise.all(platformGroups.map((name) => recordByName(scope, 'group', name))),
  ]);
  const found = [...ownPolicies, ...policies].filter((one) => one !== undefined);
  const policyIds = new Map(found.map(({ name, id }) => [String(name), id]));
  const items = [
    ...templates.policies.map(({ name, statements }, index) => {
      const stored = policies[index];
      const marked = mark?.value.policies.find((one) => one.name === name);
      const isSame = stored !== undefined && isDeepStrictEqual(statementsOf(stored), plain(statements));
      return compared({ kind: 'policy', name, stored, isSame, marked, digest: stored && policyDigest(stored) });
    }),
    ...templates.groups.map(({ name, acl_policies }, index) => {
      const stored = groups[index];
      const marked = mark?.value.groups.find((one) => one.name === name);
      const wanted = acl_policies.map((policy) => policyIds.get(policy));
      const isSame = stored !== undefined && isSameSet(policyIdsOf(stored), wanted);
      return compared({ kind: 'group', name, stored, isSame, marked, digest: stored && groupDigest(stored) });
    }),
  ];
  const platform = [...ownPolicies, ...ownGroups].filter((one) => one !== undefined).length;
  return { mark, items, policyIds, platform };
}

export function policyDigest(policy: RecordData): string {
  return contentDigest(statementsOf(policy));
}

export function groupDigest(group: RecordData): string {
  return policiesDigest(policyIdsOf(group));
}

interface ComparedRecord {
  readonly kind: ComparedItem['kind'];
  readonly name: string;
  readonly stored: RecordData | undefined;
  readonly isSame: boolean;
  readonly marked: TemplateRecord | undefined;
  readonly digest: string | undefined;
}

function compared({ kind, name, stored, isSame, marked, digest }: ComparedRecord): ComparedItem {
  // A record that was never made cannot have been removed; a workspace without a mark may never have had it.
  if (stored === undefined) return { kind, name, state: 'missing', isLocal: marked !== undefined, stored };
  if (isSame) return { kind, name, state: 'same', isLocal: false, stored };
  const isUntouched = marked?.id === stored.id && marked.digest === digest;
  return { kind, name, state: 'changed', isLocal: !isUntouched, stored };
}

/** In their one form, so that a spelling is no difference. */
export function statementsOf({ statements }: RecordData): unknown {
  const parsed = parseStatements(statements);
  return 'statements' in parsed ? plain(parsed.statements) : statements;
}

/** As it is once it was stored. */
function plain(statements: readonly Statement[]): unknown {
  return JSON.parse(JSON.stringify(statements));
}

function isSameSet(ids: readonly string[], wanted: readonly (string | undefined)[]): boolean {
  const [has, is] = [new Set(ids), new Set(wanted)];
  return has.size === is.size && [...has].every((id) => is.has(id));
}

/** The records of a workspace that its template has made. Absent in workspaces that earlier releases founded. */
export interface TemplateMark {
  /** The time at which the template was last applied. */
  readonly at: string;
  /** Of the whole template that was. */
  readonly digest: string;
  readonly policies: readonly TemplateRecord[];
  readonly groups: readonly TemplateRecord[];
}

/** While a record has this id and digest, the workspace has not changed it. */
export interface TemplateRecord {
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
