import {
  type EntityContent,
  type EntityDefinition,
  fieldTypeOf,
  isPlatformField,
  shownFields,
  type ViewedAction,
  viewedActions,
} from '../../schema/port.ts';
import { listed } from '../differences/describe-change.ts';

/** What people may see of the records that stand, which they could not before, a sentence each. */
export function widenedEntity(before: EntityContent, after: EntityContent): readonly string[] {
  const unsealed = sealedFields(before.definition).filter((name) => isShownField(after.definition, name));
  return [
    ...unsealed.map((name) => `field \`${name}\` is not encrypted any more: replies show what is written to it`),
    ...viewedActions.flatMap((action) => shownMore(action, { before, after, unsealed })),
    ...(isScoped(before.definition) && !isScoped(after.definition)
      ? ['lists show the records of all owners, and not the caller’s own alone']
      : []),
  ];
}

function sealedFields({ UpdateParams }: EntityDefinition): readonly string[] {
  return UpdateParams.filter((field) => fieldTypeOf(field).isSecret === true).map(({ name }) => name);
}

function isShownField(definition: EntityDefinition, name: string): boolean {
  const isThere = definition.UpdateParams.some((field) => field.name === name);
  return isThere && !sealedFields(definition).includes(name);
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
  const was = shownFields(before, action);
  const known = before.definition.UpdateParams.map(({ name }) => name);
  const more = shownFields(after, action).filter(
    (name) => !was.includes(name) && (known.includes(name) || isPlatformField(name)) && !unsealed.includes(name),
  );
  return more.length > 0 ? [`replies of \`${action}\` may show ${listed(more)}`] : [];
}

function isScoped({ ownerIndexes = [] }: EntityDefinition): boolean {
  return ownerIndexes.some(({ scopeList }) => scopeList === true);
}
