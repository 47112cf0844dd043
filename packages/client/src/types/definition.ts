/** What the generator reads of a definition. It comes from outside, so each part is looked at before it is used. */

export interface Field {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly colType: string;
  readonly isRequired: boolean;
  readonly hasDefault: boolean;
  readonly isIndexed: boolean;
  readonly enumValues: readonly string[];
  /** The result of a formula in CEL; undefined for a text made of other fields. */
  readonly formulaType: string | undefined;
  readonly items: Field | undefined;
  /** The entity whose records the field refers to. */
  readonly lookup: string | undefined;
  readonly description: string | undefined;
}

export interface ViewMember {
  readonly name: string;
  readonly as: string;
  readonly cast: string | undefined;
  readonly lookup: { readonly view: string; readonly as: string } | undefined;
}

export type Views = ReadonlyMap<string, readonly ViewMember[]>;

export const viewedActions = ['get', 'list', 'create', 'update'] as const;
export type ViewedAction = (typeof viewedActions)[number];

export interface Entity {
  readonly name: string;
  readonly fields: readonly Field[];
  /** Fields that a create fills with the caller, if they are left out. */
  readonly owners: ReadonlySet<string>;
  /** Fields of indexes over several. */
  readonly ordered: ReadonlySet<string>;
  readonly views: Readonly<Record<ViewedAction, Views>>;
}

/** An entity as `GET /api/entity` returns it. */
export interface EntityConfigs {
  readonly entityName: string;
  /** The definition. */
  readonly create: unknown;
  readonly get?: unknown;
  readonly list?: unknown;
  readonly update?: unknown;
}

export const stampNames: readonly string[] = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'version'];

export function readEntity(configs: EntityConfigs): Entity {
  const definition = members(configs.create);
  const fields = list(definition.UpdateParams)
    .map(readField)
    .filter(({ name }) => name !== 'id');
  const owners = list(definition.ownerIndexes)
    .map(members)
    .filter((index) => index.default !== 'none')
    .map(({ ownerFieldName }) => String(ownerFieldName));
  const ordered = list(definition.indexes).flatMap((index) => list(members(index).fields));
  const ownViews = readViews(definition.Views);
  const viewsOf = (config: unknown): Views => {
    const own = members(config).Views;
    return new Map([...generatedViews(fields), ...(own === undefined ? ownViews : readViews(own))]);
  };
  return {
    name: configs.entityName,
    fields,
    owners: new Set(owners),
    ordered: new Set(ordered.map((field) => String(field).replace(/^-/, ''))),
    views: {
      get: viewsOf(configs.get),
      list: viewsOf(configs.list),
      create: viewsOf(configs.create),
      update: viewsOf(configs.update),
    },
  };
}

function readField(input: unknown): Field {
  const field = members(input);
  const { name, colType = 'string', description } = field;
  const formula = members(field.formula).type;
  const isMade = colType === 'formula' || colType === 'autoincrement';
  const { entity } = members(field.lookup);
  return {
    name: String(name),
    aliases: list(field.aliases).map(String),
    colType: String(colType),
    isRequired: !isMade && field.validate === true && field.required !== false,
    hasDefault: field.default !== undefined && field.default !== null,
    isIndexed: field.index === true,
    enumValues: list(field.enumValues).map(String),
    formulaType: typeof formula === 'string' ? formula : undefined,
    items: colType === 'array' ? readField(field.items ?? {}) : undefined,
    lookup: typeof entity === 'string' ? entity : undefined,
    description: typeof description === 'string' ? description : undefined,
  };
}

function readViews(input: unknown): Views {
  return new Map(
    Object.entries(members(input)).map(([name, view]) => [name, list(members(view).fields).map(readViewMember)]),
  );
}

function readViewMember(input: unknown): ViewMember {
  const { name, as, cast, lookup } = members(input);
  const { view, as: lookupAs } = members(lookup);
  return {
    name: String(name),
    as: typeof as === 'string' ? as : String(name),
    cast: typeof cast === 'string' ? cast : undefined,
    lookup: typeof view === 'string' && typeof lookupAs === 'string' ? { view, as: lookupAs } : undefined,
  };
}

/** The views that every entity has: all that may be shown, and `id` with `name`. */
function generatedViews(fields: readonly Field[]): Views {
  const [id = 'id', ...stamps] = stampNames;
  const shown = fields.filter(({ colType }) => colType !== 'encrypted');
  const names = shown.flatMap(({ name, aliases }) => [name, ...aliases]);
  const viewOf = (all: readonly string[]) =>
    all.map((name): ViewMember => ({ name, as: name, cast: undefined, lookup: undefined }));
  return new Map([
    ['compact', viewOf([id, ...names.filter((name) => name === 'name')])],
    ['default', viewOf([id, ...names, ...stamps])],
  ]);
}

export function members(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {};
}

export function list(input: unknown): readonly unknown[] {
  return Array.isArray(input) ? input : [];
}
