import { isDeepStrictEqual } from 'node:util';
import type { InputError } from '@freehold/contract/problem';
import { Problem } from '../../lib/problem.ts';
import type { EntityDefinition, EntityState, FieldDefinition } from '../../schema/port.ts';
import {
  apiName,
  defaultTemplates,
  type EntityContent,
  parseViews,
  reservedTokens,
  storedByName,
  storedNameOf,
  viewedActions,
} from '../../schema/port.ts';

/** @throws Problem `conflict` where the records of an entity would need other keys than they have. */
export function refuseOtherKeys(before: EntityDefinition, after: EntityDefinition): void {
  const keysOf = ({ entityName, baseKeys, UpdateParams }: EntityDefinition) => {
    const { pkTemplate, skTemplate } = { ...defaultTemplates(entityName), ...baseKeys };
    return [pkTemplate, skTemplate].map((template) => storedTemplate(template, UpdateParams));
  };
  if (isDeepStrictEqual(keysOf(before), keysOf(after))) return;
  const { entityName: name } = before;
  throw new Problem(
    'conflict',
    `the \`baseKeys\` of entity \`${name}\` cannot be changed, because the keys of records never change: remove the entity and its records first`,
    { kind: 'entity', name },
  );
}

/** A template that names fields as they are stored: keys are the same where it is. */
function storedTemplate(template: string, fields: readonly FieldDefinition[]): string {
  const stored = storedByName(fields);
  const renamed = new Set(fields.filter((field) => storedNameOf(field) !== field.name).map(storedNameOf));
  return template.replace(/\{([^{}]*)\}/g, (whole, token: string) => {
    if (reservedTokens.includes(token)) return whole;
    // A claim of the caller, where a field was called like it before.
    return stored.has(token) ? `{${stored.get(token)}}` : renamed.has(token) ? `{=${token}}` : whole;
  });
}

/** Views that configs have of their own must not name what the definition has no more. */
export function unfitViews({ definition, views }: EntityContent): readonly InputError[] {
  const errors: InputError[] = [];
  for (const action of viewedActions) {
    const own = views[action];
    if (own === undefined) continue;
    parseViews(own, definition.UpdateParams, (pointer, code, message) => {
      const api = apiName(action, definition.entityName);
      const sentence = `the API \`${api}\` has a view that would not fit, at \`${pointer}\`: ${message}`;
      errors.push({ pointer: '/UpdateParams', code, message: sentence });
    });
  }
  return errors;
}

/** Each costs every write until its entries are gone. */
const leavingMax = 40;

/** @throws Problem `conflict` while too many indexes of earlier changes are still being taken away. */
export function refuseTooManyLeaving({ indexes }: EntityState): void {
  const leaving = indexes.filter(({ state }) => state === 'dropping' || state === 'erasing');
  if (leaving.length <= leavingMax) return;
  throw new Problem('conflict', 'the indexes of earlier changes are still being removed: try again in a moment');
}
