/** The way the records of an entity are looked for by what they are called. */

import type { Definition, Field } from '../../entities/definition.ts';

const names = ['name', 'title', 'subject', 'label', 'email', 'number', 'code'];

const systemNames: Readonly<Record<string, string>> = {
  user: 'email',
  group: 'name',
  userrole: 'name',
  aclpolicy: 'name',
};

/** Whether the entity is one of access control, which has no definition of its own. */
export const isSystemEntity = (entity: string): boolean => Object.hasOwn(systemNames, entity);

/** What a list of the entity is asked for by the words that the user types; nothing for none. */
export function searchFor(
  entity: string,
  definition: Definition | undefined,
  typed: string,
): Readonly<Record<string, string>> {
  const words = typed.trim();
  if (words === '') return {};
  const fields = definition?.UpdateParams ?? [];
  if (fields.some(({ search }) => search === true)) return { q: words };
  const name = systemNames[entity] ?? nameField(fields)?.name;
  if (name === undefined) return {};
  return { filter: `${name}.lowerAscii().contains(${JSON.stringify(words.toLowerCase())})` };
}

function nameField(fields: readonly Field[]): Field | undefined {
  const texts = fields.filter(({ colType = 'string', lookup }) => colType === 'string' && lookup === undefined);
  return texts.find(({ name }) => names.includes(name)) ?? texts[0];
}
