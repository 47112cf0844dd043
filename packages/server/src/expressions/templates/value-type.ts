import type { Environment } from '@marcbachmann/cel-js';

/** The facts that are known of the values that a template may read. */
/**
 * The type of a value: that of CEL as a text, an object with the members that it may have, or a list. A value of the type
 * `dyn` is any JSON, each number of which is a `double`.
 */
export type ValueType =
  | string
  | { readonly kind: 'fields'; readonly types: ReadonlyMap<string, ValueType> }
  | { readonly kind: 'list'; readonly of: ValueType };

/** The names that an expression may use. A record of which nothing is known is `dyn`. */
export interface TemplateScope {
  readonly record?: ValueType;
  readonly before?: ValueType;
  /** The values of the steps that are done before, by their ids. */
  readonly steps: ReadonlyMap<string, ValueType>;
  readonly input?: ValueType;
  /** The errors of the steps before that catch theirs, by their ids; left out where no step does. */
  readonly errors?: ReadonlyMap<string, ValueType>;
  /** The only names that there are, where they are not those of automation. */
  readonly names?: ReadonlyMap<string, ValueType>;
}

/** The values by the names of a scope, as JSON; a name without a value is left out or undefined. */
export interface TemplateValues {
  readonly event?: unknown;
  readonly record?: unknown;
  readonly before?: unknown;
  readonly user?: unknown;
  readonly tenant?: unknown;
  readonly steps: Readonly<Record<string, unknown>>;
  readonly input?: unknown;
  readonly errors?: unknown;
  readonly env: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

export const timestamp = 'google.protobuf.Timestamp';

const fields = (types: Readonly<Record<string, ValueType>>): ValueType => ({
  kind: 'fields',
  types: new Map(Object.entries(types)),
});

const event = fields({ id: 'string', type: 'string', timestamp, depth: 'int', path: 'string' });
const user = fields({ id: 'string', email: 'string' });
const tenant = fields({ id: 'string', code: 'string' });

/** The types of the names with which expressions begin. */
export function rootTypes(scope: TemplateScope): ReadonlyMap<string, ValueType> {
  if (scope.names !== undefined) return scope.names;
  const { record = 'dyn', before = 'dyn', steps, input = 'dyn', errors } = scope;
  return new Map<string, ValueType>([
    ['event', event],
    ['record', record],
    ['before', before],
    ['user', user],
    ['tenant', tenant],
    ['steps', { kind: 'fields', types: steps }],
    ['input', input],
    ['env', 'string'],
    ['now', timestamp],
    ...(errors === undefined ? [] : [['errors', { kind: 'fields', types: errors }] as const]),
  ]);
}

/** The type of a member of a value; undefined where it has none of that name. */
export function memberType(type: ValueType, name: string): ValueType | undefined {
  if (type === 'dyn') return type;
  return typeof type === 'object' && type.kind === 'fields' ? type.types.get(name) : undefined;
}

/** The type of the elements of a list; undefined where the value is none. */
export function elementType(type: ValueType): ValueType | undefined {
  if (type === 'dyn') return type;
  if (typeof type === 'object') return type.kind === 'list' ? type.of : undefined;
  return /^list<(.*)>$/.exec(type)?.[1];
}

/**
 * The parts of a value that an expression reads: the checker of types learns of nothing else, so its work is bounded by
 * the expression and not by what is in scope.
 */
export class UsedType {
  readonly type: ValueType;
  readonly #members = new Map<string, UsedType>();
  #element: UsedType | undefined;
  #isWhole = false;

  constructor(type: ValueType) {
    this.type = type;
  }

  /** Undefined where the value has no member of that name. */
  member(name: string): UsedType | undefined {
    const before = this.#members.get(name);
    if (before !== undefined) return before;
    const type = memberType(this.type, name);
    if (type === undefined) return undefined;
    const member = new UsedType(type);
    this.#members.set(name, member);
    return member;
  }

  /** Undefined where the value is no list. */
  element(): UsedType | undefined {
    const type = elementType(this.type);
    if (type !== undefined) this.#element ??= new UsedType(type);
    return this.#element;
  }

  /** Its value is taken as it is, by an operation that takes any. */
  takeWhole(): void {
    this.#isWhole = true;
  }

  /** Its name in an environment, which learns of it. */
  nameIn(environment: Environment, names: { made: number }): string {
    const { type } = this;
    if (typeof type === 'string') return type;
    if (type.kind === 'list')
      return this.#isWhole ? 'list<dyn>' : `list<${this.#element?.nameIn(environment, names) ?? 'dyn'}>`;
    if (this.#isWhole) return 'dyn';
    const members = [...this.#members].map(([name, member]) => [name, member.nameIn(environment, names)]);
    names.made += 1;
    const name = `$fields${names.made}`;
    environment.registerType({ name, schema: Object.fromEntries(members) });
    return name;
  }
}

/** An environment whose variables are of the types that are used. */
export function usedEnvironment(base: Environment, roots: ReadonlyMap<string, UsedType>): Environment {
  const environment = base.clone();
  const names = { made: 0 };
  for (const [name, used] of roots) environment.registerVariable(name, used.nameIn(environment, names));
  return environment;
}
