import type { InputError } from '@freehold/contract/problem';
import {
  compileTemplate,
  compileWhen,
  expressionsMax,
  isMistake,
  type TemplateScope,
  type ValueType,
} from '../../expressions/port.ts';
import { pointerTo } from '../../lib/json-pointer.ts';
import type { LiveContents } from '../../promotion/port.ts';
import { type GroupSource, parameterFilter } from '../../records/port.ts';
import {
  type CompiledEntity,
  compileEntity,
  type EntityContent,
  type EntityDefinition,
  recordType,
  systemEntities,
} from '../../schema/port.ts';
import { type AggregateContent, aggregateErrors, aggregateType } from './aggregate-step.ts';
import { catchesErrors, type LogicStep } from './logicblock-steps.ts';
import type { FieldCondition } from './shared-content.ts';

/** An entity that steps work on. */
export interface StepEntity {
  /** The type of its records in expressions. */
  readonly record: ValueType;
  readonly compiled: () => CompiledEntity;
}

/** Undefined where the fields of an entity are not known. */
export type StepEntities = (entityName: string) => StepEntity | undefined;

export function knownEntity(definition: EntityDefinition, entity?: CompiledEntity): StepEntity {
  let compiled = entity;
  return {
    record: recordType(definition.UpdateParams),
    compiled: () => {
      compiled ??= compileEntity(definition, 0);
      return compiled;
    },
  };
}

export function knownEntities({ contentOf }: LiveContents): StepEntities {
  const known = new Map<string, StepEntity | undefined>();
  const find = (name: string): StepEntity | undefined => {
    const content = contentOf({ kind: 'entity', name }) as EntityContent | undefined;
    const system = content === undefined ? systemEntities.get(name) : undefined;
    const definition = content?.definition ?? system?.definition;
    return definition && knownEntity(definition, system);
  };
  return (name) => {
    if (!known.has(name)) known.set(name, find(name));
    return known.get(name);
  };
}

/** A block of which templates are read: every step with a type counts, also a type that this version stores and does not run. */
interface TemplatedStep {
  readonly id: string;
  readonly type: string;
  readonly entity?: unknown;
  readonly on_error?: unknown;
  readonly fields?: unknown;
  readonly filters?: unknown;
}

interface TemplatedBlock {
  readonly input_schema?: Readonly<Record<string, unknown>>;
  readonly steps: readonly TemplatedStep[];
  readonly returns?: unknown;
}

/** The faults of the expressions of a block; pointers begin at its content. */
export function blockTemplateErrors(content: TemplatedBlock, entities: StepEntities): readonly InputError[] {
  // Of a step of another type no steps within it are known.
  const errors = catchesErrors(content.steps as readonly LogicStep[]) ? { errors: new Map() } : {};
  const reader = new TemplateReader(entities, { steps: new Map(), input: inputType(content.input_schema), ...errors });
  reader.steps(content.steps, '/steps');
  if (content.returns !== undefined) reader.template(content.returns, '/returns');
  return reader.expressions > expressionsMax
    ? [{ pointer: '', code: 'too_many', message: `a block may have at most ${expressionsMax} expressions` }]
    : reader.errors;
}

/** Members of steps that are no templates, and may hold any text. */
const plainMembers: readonly string[] = ['id', 'type', 'description', 'source', 'secret'];

/** Members of steps that hold steps, or objects with steps. */
const nestedMembers: readonly string[] = ['steps', 'default', 'cases', 'branches', 'on_error'];

class TemplateReader {
  readonly errors: InputError[] = [];
  expressions = 0;
  readonly #entities: StepEntities;
  #scope: TemplateScope;

  constructor(entities: StepEntities, scope: TemplateScope) {
    this.#entities = entities;
    this.#scope = scope;
  }

  steps(steps: readonly TemplatedStep[], pointer: string): void {
    for (const [index, step] of steps.entries()) this.#step(step, `${pointer}/${index}`);
  }

  template(value: unknown, pointer: string): void {
    const template = compileTemplate(value, this.#scope, pointer);
    if ('evaluate' in template) this.expressions += template.expressions;
    else this.errors.push(...template);
  }

  #step(step: TemplatedStep, pointer: string): void {
    const members = Object.entries(step).filter(([name]) => !plainMembers.includes(name));
    for (const [name, value] of members) {
      const at = `${pointer}${pointerTo(name)}`;
      if (step.type === 'condition' && name === 'if' && typeof value === 'string') this.#condition(value, at);
      else if (!nestedMembers.includes(name)) this.template(value, at);
    }
    // It is a condition besides.
    if (step.type === 'aggregate' && 'having' in step) this.expressions += 1;
    this.errors.push(...fieldErrors(step, this.#entities, pointer));
    // Steps within a step read what it is done for, and those after it what it gave.
    this.#declare(step.id, stepType(step, this.#entities));
    for (const [name, value] of members)
      if (nestedMembers.includes(name) && name !== 'on_error') this.#nested(value, `${pointer}${pointerTo(name)}`);
    if (step.on_error === undefined) return;
    this.#scope = withError(this.#scope, step.id);
    this.#nested(step.on_error, `${pointer}/on_error`);
  }

  #nested(value: unknown, pointer: string): void {
    if (isStepList(value)) this.steps(value, pointer);
    else if (Array.isArray(value)) for (const [index, one] of value.entries()) this.#nested(one, `${pointer}/${index}`);
    else if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value)) {
        const at = `${pointer}${pointerTo(name)}`;
        if (name === 'steps') this.#nested(member, at);
        else this.template(member, at);
      }
  }

  #condition(source: string, pointer: string): void {
    this.expressions += 1;
    const when = compileWhen(source, this.#scope);
    if (isMistake(when))
      this.errors.push({
        pointer,
        code: 'invalid_expression',
        message: `at character ${when.at + 1}: ${when.message}`,
      });
  }

  #declare(id: string, type: ValueType): void {
    this.#scope = { ...this.#scope, steps: new Map([...this.#scope.steps, [id, type]]) };
  }
}

function isStepList(value: unknown): value is readonly TemplatedStep[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'object' && one !== null && 'type' in one);
}

const stepErrorType: ValueType = {
  kind: 'fields',
  types: new Map([
    ['status', 'int'],
    ['code', 'string'],
    ['message', 'string'],
  ]),
};

/** The names behind a step that has `on_error`. */
export function withError(scope: TemplateScope, id: string): TemplateScope {
  return { ...scope, errors: new Map([...(scope.errors ?? []), [id, stepErrorType]]) };
}

/** The value that a step leaves: that of other steps, where these are done when it is refused. */
export function stepType(step: TemplatedStep, entities: StepEntities): ValueType {
  const entity = entityOf(step, entities);
  const { on_error: caught } = step;
  const isHandled = typeof caught === 'object' && caught !== null && 'steps' in caught;
  if (entity === undefined || isHandled) return 'dyn';
  const { record } = entity;
  switch (step.type) {
    case 'aggregate':
      return aggregateType(step as unknown as AggregateContent, groupsOf(entity, entities));
    case 'get':
    case 'create':
    case 'update':
      return record;
    case 'list': {
      const items: ValueType = { kind: 'list', of: keptType(step, record) };
      return {
        kind: 'fields',
        types: new Map<string, ValueType>([
          ['items', items],
          ['count', 'int'],
          ['has_more', 'bool'],
        ]),
      };
    }
    default:
      return 'dyn';
  }
}

/** A record with the members alone that a list keeps of it. */
function keptType({ fields }: TemplatedStep, record: ValueType): ValueType {
  if (!Array.isArray(fields) || typeof record === 'string' || record.kind !== 'fields') return record;
  return { kind: 'fields', types: new Map([...record.types].filter(([name]) => fields.includes(name))) };
}

function entityOf(step: TemplatedStep, entities: StepEntities): StepEntity | undefined {
  return typeof step.entity === 'string' ? entities(step.entity) : undefined;
}

function groupsOf(entity: StepEntity, entities: StepEntities): GroupSource {
  return { entity: entity.compiled(), entityNamed: (name) => entities(name)?.compiled() };
}

/** Of a list, members that it is to keep and that records of its entity do not have; of an aggregate, what it cannot ask. */
function fieldErrors(step: TemplatedStep, entities: StepEntities, pointer: string): readonly InputError[] {
  const entity = entityOf(step, entities);
  if (entity === undefined) return [];
  const ofFilters = filterErrors(step, entity, pointer);
  if (step.type === 'aggregate')
    return [...ofFilters, ...aggregateErrors(step as unknown as AggregateContent, groupsOf(entity, entities), pointer)];
  const { record } = entity;
  if (!Array.isArray(step.fields) || typeof record !== 'object' || record.kind !== 'fields') return ofFilters;
  const ofFields = step.fields.flatMap((name, index): readonly InputError[] => {
    if (record.types.has(String(name))) return [];
    const message = `records of \`${String(step.entity)}\` have no field \`${String(name)}\``;
    return [{ pointer: `${pointer}/fields/${index}`, code: 'unknown_field', message }];
  });
  return [...ofFilters, ...ofFields];
}

/** Conditions on fields that the entity does not have, or that no list filters by. Values may be templates. */
function filterErrors({ filters }: TemplatedStep, { compiled }: StepEntity, pointer: string): readonly InputError[] {
  if (!Array.isArray(filters)) return [];
  return (filters as readonly FieldCondition[]).flatMap(({ field }, index): readonly InputError[] => {
    const sent = new Map(Object.entries({ [field]: 'true', [`${field}_op`]: 'exists' }));
    const found = parameterFilter(compiled(), sent, { name: field, text: 'true' });
    if (found === undefined || !('message' in found)) return [];
    const code = found.code === 'unknown_parameter' ? 'unknown_field' : found.code;
    if (code !== 'unknown_field' && code !== 'not_filterable') return [];
    return [{ pointer: `${pointer}/filters/${index}/field`, code, message: found.message }];
  });
}

const typesOfSchema: ReadonlyMap<unknown, string> = new Map([
  ['string', 'string'],
  ['integer', 'int'],
  ['number', 'double'],
  ['boolean', 'bool'],
]);

/** The members of an input, where its schema lets it have no others. */
export function inputType(schema: Readonly<Record<string, unknown>> | undefined): ValueType {
  const properties = schema?.properties;
  if (schema?.additionalProperties !== false || typeof properties !== 'object' || properties === null) return 'dyn';
  const types = Object.entries(properties).map(([name, property]) => {
    const type: unknown = typeof property === 'object' && property !== null ? Reflect.get(property, 'type') : undefined;
    return [name, typesOfSchema.get(type) ?? 'dyn'] as const;
  });
  return { kind: 'fields', types: new Map(types) };
}
