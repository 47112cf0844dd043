import { listed } from '../../promotion/port.ts';
import {
  type EntityContent,
  type EntityDefinition,
  type FieldDefinition,
  fieldTypeOf,
  isPlatformField,
  shownFields,
  storedByName,
  storedNameOf,
  type ViewedAction,
  viewedActions,
} from '../../schema/port.ts';

/** What people may see of the records that stand, which they could not before, a sentence each. */
export function widenedEntity(before: EntityContent, after: EntityContent): readonly string[] {
  const sealed = new Set(before.definition.UpdateParams.filter(isSecret).map(storedNameOf));
  const unsealed = after.definition.UpdateParams.filter(
    (field) => sealed.has(storedNameOf(field)) && !isSecret(field),
  ).map(({ name }) => name);
  return [
    ...unsealed.map((name) => `field \`${name}\` is not encrypted any more: replies show what is written to it`),
    ...viewedActions.flatMap((action) => shownMore(action, { before, after, unsealed })),
    ...(isScoped(before.definition) && !isScoped(after.definition)
      ? ['lists show the records of all owners, and not the caller’s own alone']
      : []),
  ];
}

function isSecret(field: FieldDefinition): boolean {
  return fieldTypeOf(field).isSecret === true;
}

/** Fields that are new have no past. */
function shownMore(
  action: ViewedAction,
  {
    before,
    after,
    unsealed,
  }: { readonly before: EntityContent; readonly after: EntityContent; readonly unsealed: readonly string[] },
): readonly string[] {
  const [stood, is] = [before, after].map(({ definition }) => storedByName(definition.UpdateParams));
  const was = new Set(shownFields(before, action).map((name) => stood?.get(name) ?? name));
  const known = new Set(stood?.values());
  const more = shownFields(after, action).filter((name) => {
    const stored = is?.get(name) ?? name;
    return !was.has(stored) && (known.has(stored) || isPlatformField(name)) && !unsealed.includes(name);
  });
  return more.length > 0 ? [`replies of \`${action}\` may show ${listed(more)}`] : [];
}

function isScoped({ ownerIndexes = [] }: EntityDefinition): boolean {
  return ownerIndexes.some(({ scopeList }) => scopeList === true);
}
