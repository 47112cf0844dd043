import type { EntityDefinition, Views } from './definition.ts';

export const actions = ['create', 'get', 'list', 'update', 'delete'] as const;
export type ApiAction = (typeof actions)[number];

/** One of the five configs of an entity, as it is stored and shown. The create config is the definition as supplied. */
export type ApiConfig = Readonly<Record<string, unknown>>;

export function apiName(action: ApiAction, entityName: string): string {
  return `${action}-${entityName}`;
}

/** From one definition the five configs: the one supplied, and four that are generated from it and have no views of their own yet. */
function generateConfigs(definition: EntityDefinition): ReadonlyMap<ApiAction, ApiConfig> {
  const { entityName } = definition;
  const generated = (action: ApiAction): ApiConfig => ({ entityName, action, ...routeOf(action, entityName) });
  return new Map(actions.map((action) => [action, action === 'create' ? { ...definition } : generated(action)]));
}

/** The route by which an app calls an action, below `/app/{orgCode}`. */
function routeOf(action: ApiAction, entityName: string): { method: string; path: string } {
  switch (action) {
    case 'create':
      return { method: 'POST', path: `/create/${entityName}` };
    case 'get':
      return { method: 'GET', path: `/item/${entityName}/{id}` };
    case 'update':
      return { method: 'PUT', path: `/update/${entityName}/{id}` };
    case 'delete':
      return { method: 'DELETE', path: `/delete/${entityName}/{id}` };
    case 'list':
      return { method: 'GET', path: `/list/${entityName}` };
  }
}

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
