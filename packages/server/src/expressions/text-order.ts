/**
 * CEL's library orders texts by their UTF-16 units, and everything else in the platform by their code points, which is the
 * order of their UTF-8 bytes. So comparisons that may be of texts are written as calls of these functions where they are
 * evaluated. Types are checked before, in the expression as its builder wrote it.
 */
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { compareBytes } from '../lib/byte-order.ts';

type OrderOperator = '<' | '<=' | '>' | '>=';

type OrderedValue = string | number | bigint | Date;

const holds: Readonly<Record<OrderOperator, (left: OrderedValue, right: OrderedValue) => boolean>> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

const names: Readonly<Record<OrderOperator, string>> = { '<': '_lt', '<=': '_le', '>': '_gt', '>=': '_ge' };

/** The number of arguments that each function takes. No builder may call them. */
export const orderFunctions: ReadonlyMap<string, number> = new Map(Object.values(names).map((name) => [name, 2]));

export function isOrder(sign: string): sign is OrderOperator {
  return Object.hasOwn(names, sign);
}

/** The function that a comparison is evaluated by; undefined where the library does it, as where a number is written. */
export function orderFunction(node: ASTNode): string | undefined {
  if (!isOrder(node.op)) return undefined;
  const [left, right] = node.args as readonly [ASTNode, ASTNode];
  return [left, right].some(isOtherLiteral) ? undefined : names[node.op];
}

function isOtherLiteral(node: ASTNode): boolean {
  return node.op === 'value' && typeof node.args !== 'string';
}

export function withTextOrder(environment: Environment): Environment {
  for (const [sign, name] of Object.entries(names)) if (isOrder(sign)) registerOrder(environment, sign, name);
  return environment;
}

/** The library takes the time to look for the types of the values: numbers and times are compared without it. */
function registerOrder(environment: Environment, sign: OrderOperator, name: string): void {
  const inLibrary = comparison(sign);
  const handler = (left: unknown, right: unknown): unknown => {
    if (typeof left === 'string' && typeof right === 'string') return ordered(sign, left, right);
    if (isNumber(left) && isNumber(right)) return holds[sign](left, right);
    if (left instanceof Date && right instanceof Date) return holds[sign](left, right);
    return inLibrary({ left, right });
  };
  environment.registerFunction(`${name}(dyn, dyn): bool`, handler, { async: false });
}

/** Of two texts. */
export function ordered(sign: OrderOperator, left: string, right: string): boolean {
  return holds[sign](compareBytes(left, right), 0);
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function comparison(sign: OrderOperator): (operands: Readonly<Record<'left' | 'right', unknown>>) => unknown {
  const environment = new Environment().registerVariable('left', 'dyn').registerVariable('right', 'dyn');
  return environment.parse(`left ${sign} right`);
}
