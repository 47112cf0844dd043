import type { Environment } from '@marcbachmann/cel-js';
import { elementType, memberType, type ValueType } from './value-type.ts';

/**
 * What an expression reads of a value, and of its members: the checker of types learns of nothing else, so its work is
 * bounded by the expression and not by what is in scope.
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
