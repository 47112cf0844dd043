import { type ASTNode, Environment, EvaluationError } from '@marcbachmann/cel-js';

/** The faults of an expression, and the place in its text: 0 is its first UTF-16 unit. */
export interface ExpressionMistake {
  readonly message: string;
  readonly at: number;
  /** The field that it cannot read, where that is the mistake. */
  readonly field?: string;
}

export function isMistake(result: object): result is ExpressionMistake {
  return 'message' in result;
}

// Which part of CEL expressions may be made of, and how much of it.

/** The record as a whole, for `record.title` and `has(record.title)`. */
export const recordName = 'record';

/** Holds the records of lookups by field: `customer_id.tier` is written `_lookup.customer_id.tier`. */
export const lookupName = '_lookup';

/** The names an expression may use beside the fields of its record. */
export interface ExpressionScope {
  /** CEL types of variables by name, or of a variable's members. They come before fields of their names. */
  readonly variables: ReadonlyMap<string, string | ReadonlyMap<string, string>>;
  /** By the field of each lookup that may be followed: the CEL types of the other record's fields. */
  readonly lookups: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

export const noSurroundings: ExpressionScope = { variables: new Map(), lookups: new Map() };

/** A field that an expression reads, and where. */
export interface Reading {
  readonly name: string;
  /** The field that it reads of the record to which the field points. */
  readonly member?: string;
  readonly at: number;
  /** The field whose elements it is read for, one after the other. */
  readonly forEach: string | undefined;
}

/** The contents of an expression. Fields are read by their names or through `record`. */
export interface FormulaParts {
  readonly readings: readonly Reading[];
  /**
   * Texts to insert: the record where `has` is asked about a bare name, since CEL knows it of members only, and where a
   * bare name means another thing to CEL; the lookups where one is followed; and the prefix that makes `duration` the
   * function of this module.
   */
  readonly prefixes: readonly { readonly at: number; readonly text: string }[];
}

/**
 * Each takes a time that its operands bound, and gives no more than they hold. `matches`, `split`, `join` and `bind` do
 * not, so they are not among them.
 */
export const functions: ReadonlyMap<string, number> = new Map([
  ['has', 1],
  ['size', 1],
  ['int', 1],
  ['double', 1],
  ['string', 1],
  ['timestamp', 1],
  ['duration', 1],
]);

/** Numbers of arguments. None is a time zone: nodes know different ones, and stored results must be the same. */
export const methods: ReadonlyMap<string, number> = new Map([
  ...['contains', 'startsWith', 'endsWith'].map((name) => [name, 1] as const),
  ...['size', 'lowerAscii', 'upperAscii', 'trim'].map((name) => [name, 0] as const),
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear'].map(
    (name) => [name, 0] as const,
  ),
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'].map((name) => [name, 0] as const),
]);

/** Methods that ask a condition of each element of a list. One in another would take the product of two lengths. */
export const quantifiers: readonly string[] = ['all', 'exists', 'exists_one'];

const readingsMax = 20;

/** Knows the names that CEL itself gives a meaning to, such as those of its types. */
const predefined = new Environment();

/**
 * Collects the fields that an expression reads. A part outside of the grammar is the mistake that is returned.
 * @param others functions that may be called beside those of the grammar, in what the platform has written.
 */
export function partsOf(
  root: ASTNode,
  surroundings: ExpressionScope,
  others: ReadonlyMap<string, number> = new Map(),
): FormulaParts | ExpressionMistake {
  const collector = new Collector(surroundings, new Map([...functions, ...others]));
  collector.walk(root, undefined);
  const { readings, prefixes } = collector;
  const tooMany = readings[readingsMax];
  if (collector.mistake !== undefined) return collector.mistake;
  return tooMany === undefined
    ? { readings, prefixes }
    : { message: `it reads more than ${readingsMax} values`, at: tooMany.at };
}

/** The variable of a quantifier, and the field whose elements it takes. */
interface BoundVariable {
  readonly variable: string;
  readonly list: string;
}

class Collector {
  readonly readings: Reading[] = [];
  readonly prefixes: { readonly at: number; readonly text: string }[] = [];
  mistake: ExpressionMistake | undefined;
  readonly #surroundings: ExpressionScope;
  readonly #functions: ReadonlyMap<string, number>;

  constructor(surroundings: ExpressionScope, known: ReadonlyMap<string, number>) {
    this.#surroundings = surroundings;
    this.#functions = known;
  }

  walk(node: ASTNode, bound: BoundVariable | undefined): void {
    switch (node.op) {
      case 'value':
        break;
      case 'id':
        this.#name(node, node.args, bound);
        break;
      case '.':
        this.#member(node, node.args, bound);
        break;
      case '[]':
        this.#indexed(node, node.args, bound);
        break;
      case 'call':
        this.#call(node, node.args, bound);
        break;
      case 'rcall':
        this.#method(node, node.args, bound);
        break;
      case '!_':
      case '-_':
        this.walk(node.args, bound);
        break;
      case 'map':
      case '.?':
      case '[?]':
        this.#refuse(node, 'maps and optional members are not supported');
        break;
      default:
        for (const part of node.args) this.walk(part, bound);
    }
  }

  #name(node: ASTNode, name: string, bound: BoundVariable | undefined): void {
    const variable = this.#surroundings.variables.get(name);
    if (name === recordName) this.#refuse(node, '`record` is read by its members, such as `record.title`');
    else if (name === bound?.variable) this.#read(node, bound.list, undefined);
    else if (variable === undefined) {
      if (predefined.hasVariable(name)) this.#ofRecord(node);
      this.#read(node, name, bound);
    } else if (typeof variable !== 'string')
      this.#refuse(node, `\`${name}\` is read by its members, such as \`${name}.${[...variable.keys()][0]}\``);
  }

  #member(node: ASTNode, [of, member]: readonly [ASTNode, string], bound: BoundVariable | undefined): void {
    const { variables, lookups } = this.#surroundings;
    const field = fieldOf(node);
    const bare = of.op === 'id' && of.args !== bound?.variable ? of.args : undefined;
    const lookup = fieldOf(of) ?? (bare !== undefined && variables.has(bare) ? undefined : bare);
    if (field !== undefined) this.#read(node, field, bound);
    else if (lookup !== undefined && lookups.has(lookup)) {
      this.prefixes.push({ at: node.range.start, text: `${lookupName}.` });
      this.readings.push({ name: lookup, member, at: node.range.start, forEach: bound?.list });
    } else if (bare === undefined || typeof (variables.get(bare) ?? '') === 'string') this.walk(of, bound);
  }

  #indexed(node: ASTNode, parts: readonly ASTNode[], bound: BoundVariable | undefined): void {
    const field = fieldOf(node);
    if (field !== undefined) this.#read(node, field, bound);
    else for (const part of parts) this.walk(part, bound);
  }

  #call(node: ASTNode, [name, args]: readonly [string, readonly ASTNode[]], bound: BoundVariable | undefined): void {
    this.#refuseUnknown(node, { name, count: args.length, known: this.#functions });
    const [first] = args;
    if (name === 'has' && first?.op === 'id' && first.args !== bound?.variable) this.#ofRecord(first);
    if (name === 'duration') this.prefixes.push({ at: node.range.start, text: durationPrefix });
    for (const arg of args) this.walk(arg, bound);
  }

  #method(
    node: ASTNode,
    [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
    bound: BoundVariable | undefined,
  ): void {
    this.walk(receiver, bound);
    if (!quantifiers.includes(name)) {
      this.#refuseUnknown(node, { name, count: args.length, known: methods });
      for (const arg of args) this.walk(arg, bound);
      return;
    }
    const [variable, condition] = args;
    const list = receiver.op === 'id' ? receiver.args : fieldOf(receiver);
    if (bound !== undefined) this.#refuse(node, `\`${name}\` cannot stand in another quantifier`);
    else if (list === undefined) this.#refuse(node, `\`${name}\` is asked of a field that is a list`);
    else if (variable?.op !== 'id' || condition === undefined || args.length !== 2)
      this.#refuse(node, `\`${name}\` takes a variable and a condition`);
    else this.walk(condition, { variable: variable.args, list });
  }

  /** Has a bare name read as a member of the record. */
  #ofRecord(node: ASTNode): void {
    const at = node.range.start;
    if (!this.prefixes.some((prefix) => prefix.at === at)) this.prefixes.push({ at, text: `${recordName}.` });
  }

  #read(node: ASTNode, name: string, bound: BoundVariable | undefined): void {
    this.readings.push({ name, at: node.range.start, forEach: bound?.list });
  }

  #refuseUnknown(node: ASTNode, { name, count, known }: NamedCall): void {
    const needed = known.get(name);
    if (isOfTemplates(name, count)) this.#refuse(node, `\`${name}\` reads time zones, which only templates do`);
    else if (needed === undefined) this.#refuse(node, `there is no function \`${name.slice(0, 100)}\``);
    else if (needed !== count) this.#refuse(node, `\`${name}\` takes ${needed} arguments, and has ${count}`);
  }

  #refuse(node: ASTNode, message: string): void {
    this.mistake ??= { message, at: node.range.start };
  }
}

/** Results that depend on the time zones and locales of a node are never stored or searched. */
function isOfTemplates(name: string, count: number): boolean {
  return name === 'formatTime' || (count === 1 && name.startsWith('get') && methods.has(name));
}

interface NamedCall {
  readonly name: string;
  readonly count: number;
  readonly known: ReadonlyMap<string, number>;
}

/** The field that `record.field` or `record["field"]` names. */
export function fieldOf(node: ASTNode): string | undefined {
  if (node.op !== '.' && node.op !== '[]') return undefined;
  const [of, member] = node.args;
  if (of.op !== 'id' || of.args !== recordName) return undefined;
  if (typeof member === 'string') return member;
  return member.op === 'value' && typeof member.args === 'string' ? member.args : undefined;
}

// `duration` of CEL's library looks for the parts of a text by a pattern that takes the cube of its digits. So texts are
// looked through first, and the library gets those that it finds a duration in.

/** A prefix of `duration` in the texts that the library gets: the name of the function is then another. */
export const durationPrefix = '_';

const part = /\d*(?:\.\d*)?(?:ns|us|µs|ms|s|m|h)/y;

/** Each part takes the library some 200 ns, and no duration needs many. */
const charactersMax = 50;

export function withDurations(environment: Environment): Environment {
  const parsed = new Environment().registerVariable('text', 'string').parse('duration(text)');
  return environment.registerFunction(
    `${durationPrefix}duration(string): google.protobuf.Duration`,
    (text: string): unknown => {
      if (!isDuration(text)) throw new EvaluationError('a duration is a text such as `1h30m`');
      return parsed({ text });
    },
  );
}

/** In the time of its length: no part is looked for twice. */
function isDuration(text: string): boolean {
  if (text.length > charactersMax) return false;
  part.lastIndex = /^[-+]/.test(text) ? 1 : 0;
  do {
    if (!part.test(text)) return false;
  } while (part.lastIndex < text.length);
  return true;
}
