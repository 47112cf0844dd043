import type { InputError } from '@freehold/contract/problem';
import { Problem } from '../lib/problem.ts';
import { definitionLimits, type FieldDefinition } from './definition.ts';
import { type EntityContent, viewedActions } from './entity-content.ts';
import { parseDefinition } from './parse-definition.ts';
import { type AddError, isObject, refuseUnknownMembers } from './parsing/members.ts';
import { parseViews } from './parsing/parse-views.ts';

/** Reads an entity as one thing: its definition, and the views that configs have of their own. */
export function parseEntityContent(
  input: unknown,
): { readonly content: EntityContent } | { readonly errors: readonly InputError[] } {
  const errors: InputError[] = [];
  const add: AddError = (pointer, code, message) => {
    errors.push({ pointer, code, message });
  };
  if (!isObject(input)) return { errors: [notAnObject] };
  refuseUnknownMembers({ item: input, pointer: '' }, { what: 'an entity', known: ['definition', 'views'] }, add);
  const definition = readDefinition(input.definition, add);
  const { views = {} } = input;
  if (!isObject(views))
    add('/views', 'wrong_type', '`views` must be an object that holds views by the name of an action');
  else if (definition !== undefined) checkOwnViews(views, definition.UpdateParams, add);
  if (errors.length > 0 || definition === undefined) return { errors };
  return { content: { definition, views: views as EntityContent['views'] } };
}

const notAnObject: InputError = {
  pointer: '',
  code: 'wrong_type',
  message: 'the content of an entity must be an object with `definition`, and optionally `views`',
};

function readDefinition(input: unknown, add: AddError): EntityContent['definition'] | undefined {
  try {
    return parseDefinition(input).definition;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    for (const { pointer, code, message } of error.details.errors ?? []) add(`/definition${pointer}`, code, message);
    return undefined;
  }
}

/** Where the input begins, as error pointers show it. */
const viewsPointer = /^\/Views/;

function checkOwnViews(
  views: Readonly<Record<string, unknown>>,
  fields: readonly FieldDefinition[],
  add: AddError,
): void {
  refuseUnknownMembers({ item: views, pointer: '/views' }, { what: '`views`', known: viewedActions }, add);
  for (const action of viewedActions) {
    if (!Object.hasOwn(views, action)) continue;
    if (Buffer.byteLength(JSON.stringify(views[action])) > definitionLimits.bytesMax)
      add(`/views/${action}`, 'too_long', `views may have at most ${definitionLimits.bytesMax} bytes`);
    else
      parseViews(views[action], fields, (pointer, code, message) =>
        add(pointer.replace(viewsPointer, `/views/${action}`), code, message),
      );
  }
}
