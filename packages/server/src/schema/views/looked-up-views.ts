/** By which views of other entities an entity's views show their records. */
import { pointerTo } from '../../lib/json-pointer.ts';
import type { Views } from '../definition.ts';
import { type EntityContent, type ViewedAction, viewedActions } from '../entity-content.ts';
import { fieldName, namesByAlias } from '../field-names.ts';
import { isObject } from '../parsing/members.ts';
import { generatedViews, viewNamed } from './entity-views.ts';

/** A view that shows records of an entity by a view of that one. */
export interface LookedUpView {
  /** Where the name of the other view stands. */
  readonly pointer: string;
  readonly field: string;
  readonly entity: string;
  readonly view: string;
}

/**
 * @param fields the catalog of the entity. It and the views may be what no definition is: what can be read of them counts.
 * @param at where the views stand.
 */
export function lookedUpViews(fields: unknown, views: unknown, at: string): readonly LookedUpView[] {
  const targets = new Map(listOf(fields).flatMap(lookupOf));
  return Object.entries(isObject(views) ? views : {}).flatMap(([name, view]) =>
    listOf(isObject(view) ? view.fields : undefined).flatMap((shown, index): readonly LookedUpView[] => {
      if (!isObject(shown) || !isObject(shown.lookup)) return [];
      const entity = targets.get(shown.name);
      if (entity === undefined || typeof shown.lookup.view !== 'string') return [];
      const pointer = `${at}${pointerTo(name)}/fields/${index}/lookup/view`;
      return [{ pointer, field: String(shown.name), entity, view: shown.lookup.view }];
    }),
  );
}

/** Those of all five configs. Pointers begin at the content. */
export function lookedUpByContent({ definition, views }: EntityContent): readonly LookedUpView[] {
  const { UpdateParams, Views: shared } = definition;
  return [
    ...lookedUpViews(UpdateParams, shared, '/definition/Views'),
    ...viewedActions.flatMap((action) => lookedUpViews(UpdateParams, views[action], `/views/${action}`)),
  ];
}

/** The views by which records of an entity are got: of its get config, or else of its definition. */
export function getViews({ definition, views }: EntityContent): Views {
  return views.get ?? definition.Views ?? {};
}

/** Whether records are shown by a view of this name: two are there unasked. */
export function isShownBy(views: unknown, name: string): boolean {
  return (
    name === 'default' || name === 'compact' || viewNamed(isObject(views) ? (views as Views) : {}, name) !== undefined
  );
}

function listOf(input: unknown): readonly unknown[] {
  return Array.isArray(input) ? input : [];
}

function lookupOf(field: unknown): readonly (readonly [name: unknown, entity: string])[] {
  if (!isObject(field) || !isObject(field.lookup) || typeof field.lookup.entity !== 'string') return [];
  const { entity } = field.lookup;
  return [field.name, ...listOf(field.aliases)].map((name) => [name, entity]);
}

/** The fields that replies of an action may show: a caller chooses the view, so those of all of them together. */
export function shownFields({ definition, views }: EntityContent, action: ViewedAction): readonly string[] {
  const all: Views = { ...generatedViews(definition), ...(views[action] ?? definition.Views) };
  const aliases = namesByAlias(definition.UpdateParams);
  return [
    ...new Set(Object.values(all).flatMap(({ fields }) => fields.map(({ name }) => fieldName({ aliases }, name)))),
  ];
}
