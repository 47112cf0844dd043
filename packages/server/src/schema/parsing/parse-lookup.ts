import { systemEntityNames } from '@freehold/contract/system-entities';
import type { FieldDefinition } from '../definition.ts';
import { isLookupList } from '../lookups.ts';
import { entityNameProblem } from '../names.ts';
import type { AddError } from './add-error.ts';
import { type Part, refuseUnknownMembers } from './members.ts';

/** Checks the `lookup` of a field. Whether there is such an entity is not known here. */
export function checkLookup(part: Part, field: FieldDefinition, add: AddError): void {
  const { item, pointer } = part;
  refuseUnknownMembers(part, { what: '`lookup`', known: ['entity', 'onDelete'] }, add);
  if (!mayBeLookedUp(item.entity)) {
    const message = `field \`${field.name}\`: the \`entity\` of its lookup must be an entity of the builder or \`user\`, \`group\`, \`aclpolicy\` or \`userrole\``;
    add(`${pointer}/entity`, 'invalid_name', message);
  }
  const { onDelete = 'restrict' } = item;
  if (isLookupList(field) && onDelete === 'cascade') {
    const message = `field \`${field.name}\` refers to several records, so \`onDelete\` must be \`restrict\` or \`setnull\`: with \`cascade\` a record would go with the first of them`;
    add(`${pointer}/onDelete`, 'contradiction', message);
  } else if (onDelete !== 'restrict' && onDelete !== 'cascade' && onDelete !== 'setnull') {
    const message = `field \`${field.name}\`: \`onDelete\` must be \`restrict\`, \`cascade\` or \`setnull\``;
    add(`${pointer}/onDelete`, 'wrong_type', message);
  } else if (onDelete === 'setnull' && field.validate === true) {
    const message = mustHaveValue(field);
    if (message !== undefined) add(`${pointer}/onDelete`, 'contradiction', message);
  }
}

/** Why the value of a field that is checked cannot be cleared. An array that loses its elements is still a value. */
function mustHaveValue(field: FieldDefinition): string | undefined {
  if (!isLookupList(field))
    return field.required === false
      ? undefined
      : `field \`${field.name}\` is required, so \`setnull\` could not clear it`;
  return (field.minlength ?? 0) > 0
    ? `field \`${field.name}\` has a \`minlength\`, so \`setnull\` could not take its elements out`
    : undefined;
}

/** Links between users and what they hold are no things of their own: they go with what they link. */
const links = ['useraclpolicy', 'usergroup'];

function mayBeLookedUp(name: unknown): boolean {
  if (typeof name === 'string' && systemEntityNames.includes(name)) return !links.includes(name);
  return entityNameProblem(name) === undefined;
}
