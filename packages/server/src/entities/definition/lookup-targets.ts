import type { InputError } from '@freehold/contract/problem';
import { type ConfigSet, referencesTo } from '../../config/port.ts';
import { errorsMax, invalidBody, Problem } from '../../lib/problem.ts';
import { cooperatively } from '../../lib/scheduling/event-loop.ts';
import { isObject } from '../../lib/unknown-names.ts';
import type { CompiledEntity, EntityContent } from '../../schema/port.ts';
import { actions, entityNameProblem, isShownBy, lookedUpByContent, lookedUpViews } from '../../schema/port.ts';

type LookedUpView = ReturnType<typeof lookedUpViews>[number];

/** An entity's names of others, with its own. It may be no valid definition: the readable part counts. */
export interface NamedByEntity {
  readonly entityName: unknown;
  /** The catalog, and its pointer; undefined where it is not asked about. */
  readonly fields?: unknown;
  readonly lookedUp: readonly LookedUpView[];
  /** Those by which the entity itself is looked up. */
  readonly getViews: unknown;
}

/** @param input a definition as it is sent. @param views those that its configs have of their own. */
export function namedByDefinition(input: unknown, views: EntityContent['views'] = {}): NamedByEntity {
  const { entityName, UpdateParams: fields, Views } = isObject(input) ? input : {};
  const own = Object.values(views).flatMap((one) => lookedUpViews(fields, one, ''));
  const lookedUp = [
    ...lookedUpViews(fields, Views, '/Views'),
    ...own.map((one) => ({ ...one, pointer: '/UpdateParams' })),
  ];
  return { entityName, fields, lookedUp, getViews: views.get ?? Views };
}

/** The lookups of an entity that name no entity of the org or no view of one. An invalid name is reported elsewhere. */
export async function unknownTargets(set: ConfigSet, named: NamedByEntity): Promise<readonly InputError[]> {
  const errors: InputError[] = [];
  const fields: readonly unknown[] = Array.isArray(named.fields) ? named.fields : [];
  for (const [index, field] of fields.entries()) {
    const { lookup, pointer } = lookupIn(field);
    if (!isObject(field) || !isObject(lookup)) continue;
    const { entity } = lookup;
    if (typeof entity !== 'string' || entityNameProblem(entity) !== undefined || entity === named.entityName) continue;
    if (set.active(entity) !== undefined) continue;
    const message = `field \`${String(field.name)}\` looks up \`${entity}\`, and there is no such entity`;
    errors.push({
      pointer: `/UpdateParams/${index}${pointer}/entity`,
      code: 'unknown_entity',
      message,
    });
  }
  for (const one of named.lookedUp) {
    if (errors.length > errorsMax) break;
    if (await isKnownView(set, named, one)) continue;
    const message = `entity \`${one.entity}\` has no view \`${one.view}\``;
    errors.push({ pointer: one.pointer, code: 'unknown_view', message });
  }
  return errors;
}

/** The lookup in a field as it is sent, and its pointer. */
function lookupIn(field: unknown): { readonly lookup?: unknown; readonly pointer: string } {
  const { lookup, items } = isObject(field) ? field : {};
  const ofElements = isObject(items) ? items.lookup : undefined;
  if (ofElements !== undefined) return { lookup: ofElements, pointer: '/items/lookup' };
  return { lookup, pointer: '/lookup' };
}

/** Of an entity that is not there nothing is said: its lookup is what is wrong. */
async function isKnownView(set: ConfigSet, named: NamedByEntity, { entity, view }: LookedUpView): Promise<boolean> {
  if (entity === named.entityName) return isShownBy(named.getViews, view);
  const target = await set.entity(entity);
  return target === undefined || target.views.of('get', view) !== undefined;
}

/**
 * Reads an input, and looks at what it names of others.
 * @param stood what was wrong with these already before: that is no reason to refuse another change.
 * @throws Problem `validation_failed` or `unknown_field` with all that is wrong with either.
 */
export async function readWithTargets<T>(
  set: ConfigSet,
  { named, previous = [] }: { readonly named: NamedByEntity; readonly previous?: readonly InputError[] },
  read: () => T,
): Promise<T> {
  const result = readOrErrors(read);
  const own = 'errors' in result ? result.errors : [];
  // If the input is not a definition, or is too long for one, only that is reported.
  if (own.some(({ pointer }) => pointer === '' || pointer === '/Views')) throw invalidBody(own);
  const found = await unknownTargets(set, named);
  const errors = [...own, ...found.filter(({ message }) => !previous.some((one) => one.message === message))];
  if ('errors' in result || errors.length > 0) throw invalidBody(errors);
  return result.value;
}

function readOrErrors<T>(read: () => T): { readonly value: T } | { readonly errors: readonly InputError[] } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof Problem && error.details.errors !== undefined) return { errors: error.details.errors };
    throw error;
  }
}

interface DefinitionChange {
  readonly before: EntityContent;
  readonly after: EntityContent;
}

/** @throws Problem `dangling_reference` where views show the entity's records by a view that goes. */
export async function refuseOrphanedViews(set: ConfigSet, { before, after }: DefinitionChange): Promise<void> {
  const { entityName } = after.definition;
  const [previous, stays] = [before, after].map(({ definition, views }) => views.get ?? definition.Views);
  const isOrphaned = ({ entity, view }: LookedUpView): boolean =>
    entity === entityName && isShownBy(previous, view) && !isShownBy(stays, view);
  const orphaned = lookedUpByContent(after)
    .filter(isOrphaned)
    .map((one) => ({ ...one, by: entityName }));
  const others = new Set(referencesTo(set, entityName).map(({ entity }) => entity));
  others.delete(entityName);
  for await (const by of cooperatively(others)) {
    const other = await set.entity(by);
    if (other !== undefined)
      orphaned.push(
        ...lookedUpBy(other)
          .filter(isOrphaned)
          .map((one) => ({ ...one, by })),
      );
  }
  if (orphaned.length === 0) return;
  const referenced_by = distinct(orphaned.map(({ by, field, view }) => ({ entity: by, field, view })));
  const referrers = referenced_by
    .slice(0, 5)
    .map((one) => `\`${one.entity}\` by \`${one.view}\` at its field \`${one.field}\``);
  const message = `views show records of \`${entityName}\` by views that the change removes: ${referrers.join(', ')}`;
  throw new Problem('dangling_reference', message, { referenced_by: referenced_by.slice(0, 100) });
}

function lookedUpBy({ definition, views }: CompiledEntity): readonly LookedUpView[] {
  return actions.flatMap((action) => lookedUpViews(definition.UpdateParams, views.own(action), ''));
}

function distinct<Item>(items: readonly Item[]): readonly Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
