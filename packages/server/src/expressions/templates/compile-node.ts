/** An expression of a template as functions: each node is charged whenever it is evaluated. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { type ExpressionMistake, functions, methods, quantifiers } from '../grammar.ts';
import { absent, celOf, charge, chargeText, type Effort, ownMember, TemplateError } from './cel-values.ts';
import { functionNamed, methodNamed, negation, operatorNamed, type TemplateOperation } from './operations.ts';
import { type TemplateValues, UsedType, type ValueType } from './value-type.ts';
import { formatTime, formatTimeArguments, formatTimeName, localeMistake, zonedMethod } from './zoned-time.ts';

/** One evaluation. */
export interface Evaluation {
  readonly values: TemplateValues;
  readonly effort: Effort;
  /** The element that a quantifier asks about. */
  readonly element?: unknown;
}

/** A value as CEL has it, or `absent`. @throws TemplateError. */
type Evaluate = (run: Evaluation) => unknown;

/** A value that the expression names. */
interface ValueAccess {
  readonly used: UsedType;
  /** The JSON of it, or `absent`. */
  readonly read: Evaluate;
}

export interface CompiledNode {
  readonly evaluate: Evaluate;
  /** Set where the whole node names a value. */
  readonly access: ValueAccess | undefined;
  /** The values that it reads, by the names with which it begins. */
  readonly used: ReadonlyMap<string, UsedType>;
  /** Whether its value depends on the time zones and locales that a node knows. */
  readonly isOfNode: boolean;
}

/** @param roots the types of the names with which it may begin; those of steps may be among them. */
export function compileNode(root: ASTNode, roots: ReadonlyMap<string, ValueType>): CompiledNode | ExpressionMistake {
  const compiler = new NodeCompiler(roots);
  const access = compiler.access(root, undefined);
  const evaluate = access === undefined ? compiler.evaluation(root, undefined) : converted(access);
  return compiler.mistake ?? { evaluate, access, used: compiler.used, isOfNode: compiler.isOfNode };
}

/** The variable of a quantifier. */
interface TypedVariable {
  readonly variable: string;
  readonly used: UsedType;
}

class NodeCompiler {
  mistake: ExpressionMistake | undefined;
  isOfNode = false;
  readonly used = new Map<string, UsedType>();
  readonly #roots: ReadonlyMap<string, ValueType>;

  constructor(roots: ReadonlyMap<string, ValueType>) {
    this.#roots = roots;
  }

  evaluation(node: ASTNode, bound: TypedVariable | undefined): Evaluate {
    switch (node.op) {
      case 'value':
        return this.#literal(node, node.args);
      case 'id':
      case '.':
      case '[]': {
        const access = this.access(node, bound);
        return access === undefined
          ? this.#refuse(node, 'a member is read of a value that has a name')
          : converted(access);
      }
      case 'list':
        return listOf(node.args.map((element) => this.evaluation(element, bound)));
      case '&&':
      case '||':
      case '!_':
      case '?:':
        return this.#logic(node, bound);
      case '-_':
        return operationOn(negation(), [this.evaluation(node.args, bound)]);
      case 'call':
        return this.#call(node, node.args, bound);
      case 'rcall':
        return this.#method(node, node.args, bound);
      case 'map':
      case '.?':
      case '[?]':
        return this.#refuse(node, 'maps and optional members are not supported');
      default:
        return operationOn(
          operatorNamed(node.op),
          node.args.map((operand) => this.evaluation(operand, bound)),
        );
    }
  }

  /** Undefined for a node that names no value. */
  access(node: ASTNode, bound: TypedVariable | undefined): ValueAccess | undefined {
    switch (node.op) {
      case 'id':
        return this.#named(node, node.args, bound);
      case '.':
        return this.#member(node, node.args, bound);
      case '[]':
        return this.#indexed(node, node.args, bound);
      default:
        return undefined;
    }
  }

  #named(node: ASTNode, name: string, bound: TypedVariable | undefined): ValueAccess {
    if (name === bound?.variable) return { used: bound.used, read: ({ element }) => element };
    const type = this.#roots.get(name);
    if (type === undefined) return this.#unknown(node, `there is no name \`${name.slice(0, 100)}\``);
    const used = this.used.get(name) ?? new UsedType(type);
    this.used.set(name, used);
    const read: Evaluate = ({ values }) => {
      const value = ownMember(values, name);
      return value === absent ? ownMember(values.steps, name) : value;
    };
    return { used, read };
  }

  #member(
    node: ASTNode,
    [of, name]: readonly [ASTNode, string],
    bound: TypedVariable | undefined,
  ): ValueAccess | undefined {
    const holder = this.access(of, bound);
    if (holder === undefined) return undefined;
    const used = holder.used.member(name);
    if (used === undefined) return this.#unknown(node, unknownMember(of, name));
    const read: Evaluate = (run) => {
      charge(run.effort, 1);
      return ownMember(holder.read(run), name);
    };
    return { used, read };
  }

  #indexed(
    node: ASTNode,
    [of, index]: readonly [ASTNode, ASTNode],
    bound: TypedVariable | undefined,
  ): ValueAccess | undefined {
    if (index.op === 'value' && typeof index.args === 'string') return this.#member(node, [of, index.args], bound);
    const holder = this.access(of, bound);
    const place = this.evaluation(index, bound);
    if (holder === undefined) return undefined;
    const used = holder.used.element();
    if (used === undefined) return this.#unknown(node, 'only of a list an element is read by its place');
    return { used, read: (run) => elementAt(holder.read(run), place(run)) };
  }

  #literal(node: ASTNode, value: unknown): Evaluate {
    if (typeof value === 'object' && value !== null)
      return this.#refuse(node, 'bytes and unsigned numbers are not supported');
    const characters = typeof value === 'string' ? value.length : 0;
    return ({ effort }) => {
      chargeText(effort, characters);
      return value;
    };
  }

  #logic(node: ASTNode & { readonly op: '&&' | '||' | '!_' | '?:' }, bound: TypedVariable | undefined): Evaluate {
    const evaluation = (part: ASTNode): Evaluate => this.evaluation(part, bound);
    if (node.op === '!_') {
      const negated = evaluation(node.args);
      return (run) => !isTrue(negated, run);
    }
    if (node.op === '?:') {
      const [condition, then, otherwise] = [
        evaluation(node.args[0]),
        evaluation(node.args[1]),
        evaluation(node.args[2]),
      ];
      return (run) => (isTrue(condition, run) ? then(run) : otherwise(run));
    }
    const [left, right] = [evaluation(node.args[0]), evaluation(node.args[1])];
    return node.op === '&&'
      ? (run) => isTrue(left, run) && isTrue(right, run)
      : (run) => isTrue(left, run) || isTrue(right, run);
  }

  #call(
    node: ASTNode,
    [name, args]: readonly [string, readonly ASTNode[]],
    bound: TypedVariable | undefined,
  ): Evaluate {
    const [argument] = args;
    if (name === formatTimeName) return this.#formatTime(node, args, bound);
    if (functions.get(name) !== args.length || argument === undefined) return this.#refuseCall(node, name, functions);
    if (name !== 'has') return operationOn(functionNamed(name), [this.evaluation(argument, bound)]);
    const access = this.access(argument, bound);
    return access === undefined
      ? this.#refuse(argument, '`has` takes a value that has a name')
      : (run) => access.read(run) !== absent;
  }

  #method(
    node: ASTNode,
    [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
    bound: TypedVariable | undefined,
  ): Evaluate {
    if (quantifiers.includes(name)) return this.#quantifier(node, [name, receiver, args], bound);
    const [zone] = args;
    const zoned = args.length === 1 ? zonedMethod(name) : undefined;
    if (zoned !== undefined && zone !== undefined) {
      this.#refuseLocale(zone, { zone: textIn(zone) });
      return this.#ofNode(zoned, [receiver, zone], bound);
    }
    if (methods.get(name) !== args.length) return this.#refuseCall(node, name, methods);
    return operationOn(
      methodNamed(name, args.length),
      [receiver, ...args].map((operand) => this.evaluation(operand, bound)),
    );
  }

  #formatTime(node: ASTNode, args: readonly ASTNode[], bound: TypedVariable | undefined): Evaluate {
    const [, pattern, zone, locale] = args;
    if (args.length !== formatTimeArguments || pattern === undefined || zone === undefined || locale === undefined)
      return this.#refuse(
        node,
        `\`${formatTimeName}\` takes ${formatTimeArguments} arguments: a time, a pattern, a time zone and a locale`,
      );
    this.#refuseLocale(pattern, { pattern: textIn(pattern) });
    this.#refuseLocale(zone, { zone: textIn(zone) });
    this.#refuseLocale(locale, { locale: textIn(locale) });
    return this.#ofNode(formatTime, args, bound);
  }

  #refuseLocale(node: ASTNode, texts: Parameters<typeof localeMistake>[0]): void {
    const message = localeMistake(texts);
    if (message !== undefined) this.#refuse(node, message);
  }

  #ofNode(operation: TemplateOperation, operands: readonly ASTNode[], bound: TypedVariable | undefined): Evaluate {
    this.isOfNode = true;
    return operationOn(
      operation,
      operands.map((operand) => this.evaluation(operand, bound)),
    );
  }

  #quantifier(
    node: ASTNode,
    [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
    bound: TypedVariable | undefined,
  ): Evaluate {
    const [variable, condition] = args;
    const list = this.access(receiver, bound);
    const used = list?.used.element();
    if (bound !== undefined) return this.#refuse(node, `\`${name}\` cannot stand in another quantifier`);
    if (list === undefined || used === undefined) return this.#refuse(node, `\`${name}\` is asked of a list`);
    if (variable?.op !== 'id' || condition === undefined || args.length !== 2)
      return this.#refuse(node, `\`${name}\` takes a variable and a condition`);
    const holds = this.evaluation(condition, { variable: variable.args, used });
    return (run) => {
      const elements = list.read(run);
      return Array.isArray(elements)
        ? quantified(name, elements, (element) => isTrue(holds, { ...run, element }))
        : absent;
    };
  }

  #refuseCall(node: ASTNode, name: string, known: ReadonlyMap<string, number>): Evaluate {
    const needed = known.get(name);
    const message =
      needed === undefined ? `there is no function \`${name.slice(0, 100)}\`` : `\`${name}\` takes ${needed} arguments`;
    return this.#refuse(node, message);
  }

  #unknown(node: ASTNode, message: string): ValueAccess {
    return { used: new UsedType('dyn'), read: this.#refuse(node, message) };
  }

  #refuse(node: ASTNode, message: string): Evaluate {
    this.mistake ??= { message, at: node.range.start };
    return () => absent;
  }
}

/** A text that an expression says itself. */
function textIn(node: ASTNode): string | undefined {
  return node.op === 'value' && typeof node.args === 'string' ? node.args : undefined;
}

function unknownMember(of: ASTNode, name: string): string {
  const shown = name.slice(0, 100);
  const holder = of.op === 'id' ? of.args : '';
  if (holder === 'steps') return `there is no step \`${shown}\` before this one`;
  if (holder === 'errors') return `there is no step \`${shown}\` with \`on_error\` before this one`;
  return `there is no field \`${shown}\` that it can read`;
}

function converted({ used, read }: ValueAccess): Evaluate {
  used.takeWhole();
  const { type } = used;
  return (run) => {
    const json = read(run);
    return json === absent ? absent : celOf(json, type, run.effort);
  };
}

function elementAt(list: unknown, place: unknown): unknown {
  if (typeof place === 'string') return ownMember(list, place);
  const isPlace = typeof place === 'bigint' || typeof place === 'number';
  const value: unknown = Array.isArray(list) && isPlace ? list[Number(place)] : undefined;
  return value === undefined ? absent : value;
}

function listOf(elements: readonly Evaluate[]): Evaluate {
  return (run) => {
    charge(run.effort, 1);
    const values = elements.map((element) => element(run));
    return values.includes(absent) ? absent : values;
  };
}

function operationOn(operation: TemplateOperation, operands: readonly Evaluate[]): Evaluate {
  return (run) => {
    const values = operands.map((operand) => operand(run));
    return values.includes(absent) ? absent : operation(values, run.effort);
  };
}

/** Whether a part is true: it is not where it cannot be evaluated, or reads what has no value. */
export function isTrue(part: Evaluate, run: Evaluation): boolean {
  charge(run.effort, 1);
  try {
    return part(run) === true;
  } catch (error) {
    if (error instanceof TemplateError && error.code !== 'expression_too_costly') return false;
    throw error;
  }
}

function quantified(name: string, elements: readonly unknown[], holds: (element: unknown) => boolean): boolean {
  switch (name) {
    case 'all':
      return elements.every(holds);
    case 'exists':
      return elements.some(holds);
    default:
      return elements.filter(holds).length === 1;
  }
}
