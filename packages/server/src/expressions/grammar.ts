/** Which part of CEL expressions may be made of, and how much of it. */
import type { ASTNode } from '@marcbachmann/cel-js';
import type { Mistake } from './mistake.ts';

/** The record as a whole, for `record.title` and `has(record.title)`. */
export const recordName = 'record';

/** A field that an expression reads, and where. */
export interface Reading {
  readonly name: string;
  readonly at: number;
  /** The field whose elements it is read for, one after the other. */
  readonly forEach: string | undefined;
}

/** What stands in an expression. Fields are read by their names or through `record`. */
export interface Parts {
  readonly readings: readonly Reading[];
  /** Places where `has` is asked about a bare name, which CEL knows of members only. */
  readonly bareHas: readonly number[];
}

/**
 * Each takes a time that its operands bound, and gives no more than they hold. `matches`, `split`, `join` and `bind` do
 * not, so they are not among them.
 */
const functions: ReadonlyMap<string, number> = new Map([
  ['has', 1],
  ['size', 1],
  ['int', 1],
  ['double', 1],
  ['string', 1],
  ['timestamp', 1],
  ['duration', 1],
]);

/** How many arguments each takes. A time zone is none of them: it takes a table for each zone. */
const methods: ReadonlyMap<string, number> = new Map([
  ...['contains', 'startsWith', 'endsWith'].map((name) => [name, 1] as const),
  ...['size', 'lowerAscii', 'upperAscii', 'trim'].map((name) => [name, 0] as const),
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear'].map(
    (name) => [name, 0] as const,
  ),
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'].map((name) => [name, 0] as const),
]);

/** Methods that ask a condition of each element of a list. One in another would take the product of two lengths. */
const quantifiers: readonly string[] = ['all', 'exists', 'exists_one'];

const readingsMax = 20;

/** Collects the fields that an expression reads. A part outside of the grammar is the mistake that is returned. */
export function partsOf(root: ASTNode): Parts | Mistake {
  const collector = new Collector();
  collector.visit(root, undefined);
  const { readings, bareHas } = collector;
  const tooMany = readings[readingsMax];
  if (collector.mistake !== undefined) return collector.mistake;
  return tooMany === undefined
    ? { readings, bareHas }
    : { message: `it reads more than ${readingsMax} values`, at: tooMany.at };
}

/** The variable of a quantifier, and the field whose elements it takes. */
interface Bound {
  readonly variable: string;
  readonly list: string;
}

class Collector {
  readonly readings: Reading[] = [];
  readonly bareHas: number[] = [];
  mistake: Mistake | undefined;

  visit(node: ASTNode, bound: Bound | undefined): void {
    switch (node.op) {
      case 'value':
        break;
      case 'id':
        if (node.args === recordName) this.#refuse(node, '`record` is read by its members, such as `record.title`');
        else if (node.args === bound?.variable) this.#read(node, bound.list, undefined);
        else this.#read(node, node.args, bound);
        break;
      case '.':
        this.#member(node, node.args[0], bound);
        break;
      case 'call':
        this.#call(node, node.args, bound);
        break;
      case 'rcall':
        this.#method(node, node.args, bound);
        break;
      case '!_':
      case '-_':
        this.visit(node.args, bound);
        break;
      case 'map':
      case '.?':
      case '[?]':
        this.#refuse(node, 'maps and optional members are not supported');
        break;
      default:
        for (const part of node.args) this.visit(part, bound);
    }
  }

  #member(node: ASTNode, of: ASTNode, bound: Bound | undefined): void {
    const field = fieldOf(node);
    if (field === undefined) this.visit(of, bound);
    else this.#read(node, field, bound);
  }

  #call(node: ASTNode, [name, args]: readonly [string, readonly ASTNode[]], bound: Bound | undefined): void {
    this.#refuseUnknown(node, { name, count: args.length, known: functions });
    const [first] = args;
    if (name === 'has' && first?.op === 'id' && first.args !== bound?.variable) this.bareHas.push(first.range.start);
    for (const arg of args) this.visit(arg, bound);
  }

  #method(
    node: ASTNode,
    [name, receiver, args]: readonly [string, ASTNode, readonly ASTNode[]],
    bound: Bound | undefined,
  ): void {
    this.visit(receiver, bound);
    if (!quantifiers.includes(name)) {
      this.#refuseUnknown(node, { name, count: args.length, known: methods });
      for (const arg of args) this.visit(arg, bound);
      return;
    }
    const [variable, condition] = args;
    const list = receiver.op === 'id' ? receiver.args : fieldOf(receiver);
    if (bound !== undefined) this.#refuse(node, `\`${name}\` cannot stand in another quantifier`);
    else if (list === undefined) this.#refuse(node, `\`${name}\` is asked of a field that is a list`);
    else if (variable?.op !== 'id' || condition === undefined || args.length !== 2)
      this.#refuse(node, `\`${name}\` takes a variable and a condition`);
    else this.visit(condition, { variable: variable.args, list });
  }

  #read(node: ASTNode, name: string, bound: Bound | undefined): void {
    this.readings.push({ name, at: node.range.start, forEach: bound?.list });
  }

  #refuseUnknown(node: ASTNode, { name, count, known }: NamedCall): void {
    const needed = known.get(name);
    if (needed === undefined) this.#refuse(node, `there is no function \`${name.slice(0, 100)}\``);
    else if (needed !== count) this.#refuse(node, `\`${name}\` takes ${needed} arguments, and has ${count}`);
  }

  #refuse(node: ASTNode, message: string): void {
    this.mistake ??= { message, at: node.range.start };
  }
}

interface NamedCall {
  readonly name: string;
  readonly count: number;
  readonly known: ReadonlyMap<string, number>;
}

/** The field that `record.field` names. */
function fieldOf(node: ASTNode): string | undefined {
  if (node.op !== '.') return undefined;
  const [of, member] = node.args;
  return of.op === 'id' && of.args === recordName ? member : undefined;
}
