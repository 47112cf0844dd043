import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { parseStatements, statementSchemas } from '../../access/port.ts';
import type { SettingContext, SettingType } from '../../config/port.ts';
import type { JsonSchema } from '../../lib/json-schema.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import { isObject, unknownMembers, wrong } from '../../lib/unknown-names.ts';
import { lintEntities, lintPolicy } from '../linted-config.ts';
import { adminGroup, adminPolicy, viewerPolicy } from '../policies/held-policies.ts';
import { describeTemplates, type WorkspaceTemplates, widenedTemplates } from './describe-templates.ts';

const templatesMax = 20;
const named = { type: 'string', minLength: 1, maxLength: 128 };
const none: WorkspaceTemplates = { policies: [], groups: [] };

export const workspaceTemplates: SettingType<WorkspaceTemplates> = {
  key: 'tenancy.workspace_templates',
  description: 'Policies and groups of workspaces that are created from now on.',
  byDefault: none,
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      policies: listOf({
        name: named,
        statements: {
          type: 'array',
          $ref: '#/$defs/PolicyStatements',
          items: { type: 'object', additionalProperties: true },
        },
      }),
      groups: listOf({ name: named, acl_policies: { type: 'array', items: { type: 'string' } } }, ['name']),
    },
    $defs: statementSchemas((name) => ({ $ref: `#/$defs/${name}` })),
  },
  parse: (input) => {
    if (!isObject(input)) return wrong('must be an object with `policies` and `groups`');
    const errors: InputError[] = [...unknownMembers(input, Object.keys(none))];
    const policies = readList(input.policies, '/policies', errors).map((item, index) =>
      readPolicy(item, `/policies/${index}`, errors),
    );
    const names = policies.map(({ name }) => name);
    const groups = readList(input.groups, '/groups', errors).map((item, index) =>
      readGroup(item, names, { pointer: `/groups/${index}`, errors }),
    );
    refuseRepeated(names, [adminPolicy, viewerPolicy], { pointer: '/policies', errors });
    refuseRepeated(
      groups.map(({ name }) => name),
      [adminGroup],
      { pointer: '/groups', errors },
    );
    return errors.length > 0 ? { errors } : { value: { policies, groups } };
  },
  describe: describeTemplates,
  advise: adviseTemplates,
  widens: widenedTemplates,
};

function listOf(properties: JsonSchema, required: readonly string[] = Object.keys(properties)): JsonSchema {
  const items = { type: 'object', required, properties, additionalProperties: false };
  return { type: 'array', maxItems: templatesMax, items };
}

interface TemplateReport {
  readonly pointer: string;
  readonly errors: InputError[];
}

function readList(input: unknown, pointer: string, errors: InputError[]): readonly unknown[] {
  if (input === undefined) return [];
  if (Array.isArray(input) && input.length <= templatesMax) return input;
  errors.push(...wrong(`must be an array of at most ${templatesMax}`, pointer).errors);
  return [];
}

function readPolicy(input: unknown, pointer: string, errors: InputError[]): WorkspaceTemplates['policies'][number] {
  const { name, rest } = readNamed(input, 'statements', { pointer, errors });
  const parsed = parseStatements(rest);
  if ('statements' in parsed) return { name, statements: parsed.statements };
  errors.push(...parsed.errors.map((error) => ({ ...error, pointer: `${pointer}/statements${error.pointer}` })));
  return { name, statements: [] };
}

function readGroup(
  input: unknown,
  policyNames: readonly string[],
  { pointer, errors }: TemplateReport,
): WorkspaceTemplates['groups'][number] {
  const { name, rest = [] } = readNamed(input, 'acl_policies', { pointer, errors });
  const at = `${pointer}/acl_policies`;
  const known = [adminPolicy, viewerPolicy, ...policyNames];
  if (!Array.isArray(rest)) errors.push(...wrong('must be an array of names of policies', at).errors);
  const acl_policies: readonly unknown[] = Array.isArray(rest) ? [...new Set(rest)] : [];
  for (const [index, policy] of acl_policies.entries())
    if (typeof policy !== 'string' || !known.includes(policy))
      errors.push(...wrong('is not a policy of a new workspace', `${at}/${index}`, 'unknown_reference').errors);
  return { name, acl_policies: acl_policies.map(String) };
}

function readNamed(
  input: unknown,
  member: string,
  { pointer, errors }: TemplateReport,
): { name: string; rest: unknown } {
  if (!isObject(input)) {
    errors.push(...wrong(`must be an object with \`name\` and \`${member}\``, pointer).errors);
    return { name: '', rest: [] };
  }
  errors.push(...unknownMembers(input, ['name', member], pointer));
  const { name } = input;
  if (typeof name === 'string' && name !== '' && [...name].length <= 128) return { name, rest: input[member] };
  const code = typeof name !== 'string' ? undefined : name === '' ? 'too_short' : 'too_long';
  errors.push(...wrong('must be a text of 1 to 128 characters', `${pointer}/name`, code).errors);
  return { name: '', rest: input[member] };
}

/** Names are unique in their workspace, ignoring the case of ASCII letters. */
function refuseRepeated(names: readonly string[], taken: readonly string[], { pointer, errors }: TemplateReport): void {
  const seen = new Set(taken);
  for (const [index, name] of names.entries()) {
    const folded = name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    if (seen.has(folded))
      errors.push(...wrong('is already the name of another one', `${pointer}/${index}/name`, 'duplicate').errors);
    seen.add(folded);
  }
}

/** The likely mistakes in policies that are new or changed, by the lint of policies, a sentence each. */
async function adviseTemplates(
  before: WorkspaceTemplates,
  after: WorkspaceTemplates,
  around: SettingContext,
): Promise<readonly string[]> {
  const changed = after.policies.filter((policy) => !before.policies.some((was) => isDeepStrictEqual(was, policy)));
  if (changed.length === 0) return [];
  const entities = await lintEntities({ entity: around.entity, entityNames: around.namesOf('entity') });
  const blocks = around.namesOf('logicblock');
  const sentences: string[] = [];
  for await (const { name, statements } of cooperatively(changed))
    for (const { severity, pointer, message } of lintPolicy(statements, entities, blocks))
      if (severity !== 'info') sentences.push(`policy \`${name}\`: ${message} (${pointer})`);
  return sentences;
}
