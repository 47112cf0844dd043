import { type ApiAction, type ApiConfig, actions, generateConfigs } from './api-configs.ts';
import type { EntityDefinition, Views } from './definition.ts';

/** The five configs of an entity as one thing: all that a builder said of it, and nothing that is generated. */
export interface EntityContent {
  readonly definition: EntityDefinition;
  /** The views of its own that a config was given, by its action. */
  readonly views: Readonly<Partial<Record<ViewedAction, Views>>>;
}

export type ViewedAction = Exclude<ApiAction, 'create'>;
export type ConfigBodiesOfEntity = Readonly<Record<ApiAction, ApiConfig>>;

export const viewedActions = actions.filter((action): action is ViewedAction => action !== 'create');

export function contentOfBodies(bodies: ConfigBodiesOfEntity): EntityContent {
  const own = viewedActions.flatMap((action) => {
    const { Views } = bodies[action];
    return Views === undefined ? [] : [[action, Views as Views] as const];
  });
  return { definition: bodies.create as unknown as EntityDefinition, views: Object.fromEntries(own) };
}

export function bodiesOfContent({ definition, views }: EntityContent): ConfigBodiesOfEntity {
  const bodies = [...generateConfigs(definition)].map(([action, config]) => {
    const own = action === 'create' ? undefined : views[action];
    return [action, own === undefined ? config : { ...config, Views: own }] as const;
  });
  return Object.fromEntries(bodies) as ConfigBodiesOfEntity;
}
