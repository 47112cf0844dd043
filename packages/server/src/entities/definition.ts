/** An entity definition as its builder supplies it (the payload of `POST /api/{apiname}`), and as the create config keeps it. */
export interface EntityDefinition {
  readonly entityName: string;
  readonly baseKeys?: KeyTemplates;
  readonly UpdateParams: readonly FieldDefinition[];
}

export interface KeyTemplates {
  readonly pkTemplate: string;
  readonly skTemplate: string;
}

/** One field of the catalog. `colType` is `string` when it is left out. */
export interface FieldDefinition {
  readonly name: string;
  readonly colType?: string;
  readonly validate?: boolean;
  readonly required?: boolean;
  readonly minlength?: number;
  readonly maxlength?: number;
  readonly min?: number;
  readonly max?: number;
  readonly default?: unknown;
  readonly enumValues?: readonly string[];
  readonly index?: boolean;
  readonly description?: string;
}

/** What every record has beside its fields. The platform sets them, a client never does. */
const platformFields = ['id', 'created_at', 'updated_at', 'created_by', 'updated_by', 'version'] as const;

export function isPlatformField(name: string): boolean {
  return (platformFields as readonly string[]).includes(name);
}

export const definitionLimits = {
  entitiesMax: 500,
  bytesMax: 64 * 1024,
  fieldsMax: 200,
  indexesMax: 20,
  enumValuesMax: 500,
} as const;
