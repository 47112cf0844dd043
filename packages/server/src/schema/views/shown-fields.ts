import type { Views } from '../definition.ts';
import type { EntityContent, ViewedAction } from '../entity-content.ts';
import { fieldName, namesByAlias } from '../field-names.ts';
import { generatedViews } from './generated-views.ts';

/** The fields that replies of an action may show: a caller chooses the view, so those of all of them together. */
export function shownFields({ definition, views }: EntityContent, action: ViewedAction): readonly string[] {
  const all: Views = { ...generatedViews(definition), ...(views[action] ?? definition.Views) };
  const aliases = namesByAlias(definition.UpdateParams);
  return [
    ...new Set(Object.values(all).flatMap(({ fields }) => fields.map(({ name }) => fieldName({ aliases }, name)))),
  ];
}
