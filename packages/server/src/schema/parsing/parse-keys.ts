import { type FieldDefinition, isPlatformField } from '../definition.ts';
import { behaviourOf } from '../field-types/registry.ts';
import { claimTokens, type KeyTemplate, parseTemplate } from '../key-template.ts';
import { type AddError, isObject, type Part, refuseUnknownMembers } from './members.ts';

/** Checks `baseKeys`: the templates of the records' keys. */
export function checkBaseKeys(input: unknown, fields: readonly FieldDefinition[], add: AddError): void {
  if (!isObject(input)) {
    add('/baseKeys', 'wrong_type', '`baseKeys` must be an object');
    return;
  }
  const part = { item: input, pointer: '/baseKeys' };
  refuseUnknownMembers(part, { what: '`baseKeys`', known: ['pkTemplate', 'skTemplate'] }, add);
  const known = new Set<string>([...claimTokens, ...indexableNames(fields)]);
  const cleared = fields.filter(({ lookup }) => lookup?.onDelete === 'setnull').map(({ name }) => name);
  for (const member of ['pkTemplate', 'skTemplate'] as const) {
    const template = readTemplate(part, member, add);
    const refuse = (code: string, message: string): void =>
      add(`/baseKeys/${member}`, code, `\`${member}\` ${message}`);
    for (const token of template?.tokens ?? []) {
      if (!known.has(token)) refuse('unknown_token', `names an unknown token \`{${token}}\``);
      else if (cleared.includes(token))
        refuse('contradiction', `names \`{${token}}\`, which \`setnull\` would take from records`);
    }
    if (template !== undefined && member === 'pkTemplate') requireWorkspace(part, member, add);
  }
}

/** The template that stands in a member, if it is one. */
export function readTemplate({ item, pointer }: Part, member: string, add: AddError): KeyTemplate | undefined {
  const source = item[member];
  const at = `${pointer}/${member}`;
  if (typeof source !== 'string' || source === '' || source.length > 256) {
    add(at, 'wrong_type', `\`${member}\` must be a string of 1 to 256 characters`);
    return undefined;
  }
  const template = parseTemplate(source);
  if (typeof template !== 'string') return template;
  add(at, 'invalid_template', `\`${member}\` ${template}`);
  return undefined;
}

const workspaceStart = 'org#{org};';

/** What names a partition must name the workspace first. */
export function requireWorkspace({ item, pointer }: Part, member: string, add: AddError): void {
  const source = String(item[member]);
  if (source.startsWith(workspaceStart) && source.length > workspaceStart.length) return;
  const message = `\`${member}\` must begin with \`${workspaceStart}\`, so that it stays in the workspace`;
  add(`${pointer}/${member}`, 'outside_workspace', message);
}

/** The builder's own fields whose values have an order and a text, and so can stand in keys. */
export function indexableNames(fields: readonly FieldDefinition[]): readonly string[] {
  return fields.filter((field) => !isPlatformField(field.name) && isIndexable(field)).map((field) => field.name);
}

function isIndexable(field: FieldDefinition): boolean {
  const behaviour = behaviourOf(field);
  return typeof behaviour === 'object' && behaviour.encode !== undefined;
}
