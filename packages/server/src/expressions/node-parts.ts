/** The tree of an expression as its parts, and as a text of CEL. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { orderFunction } from './text-order.ts';

/** The nodes right below one. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value':
    case 'id':
      return [];
    case '.':
    case '.?':
      return [node.args[0]];
    case 'call':
      return node.args[1];
    case 'rcall':
      return [node.args[1], ...node.args[2]];
    case '!_':
    case '-_':
      return [node.args];
    case 'map':
      return node.args.flat();
    default:
      return node.args;
  }
}

/** A node and all that is below it. */
export function nodesOf(node: ASTNode): readonly ASTNode[] {
  return [node, ...childrenOf(node).flatMap(nodesOf)];
}

/**
 * The text by which a part of an expression is evaluated. The range of a node lacks the parentheses at its ends, so the
 * text is put together from the tree; literals are taken from the source as they are.
 */
export function textOfNode(node: ASTNode): string {
  switch (node.op) {
    case 'value':
      return node.input.slice(node.range.start, node.range.end);
    case 'id':
      return node.args;
    case '.':
      return `${operand(node.args[0])}.${node.args[1]}`;
    case '[]':
      return `${operand(node.args[0])}[${textOfNode(node.args[1])}]`;
    case 'call':
      return `${node.args[0]}(${node.args[1].map(textOfNode).join(', ')})`;
    case 'rcall':
      return `${operand(node.args[1])}.${node.args[0]}(${node.args[2].map(textOfNode).join(', ')})`;
    case 'list':
      return `[${node.args.map(textOfNode).join(', ')}]`;
    case '!_':
    case '-_':
      return `${node.op.charAt(0)}${operand(node.args)}`;
    case '?:':
      return `${operand(node.args[0])} ? ${operand(node.args[1])} : ${operand(node.args[2])}`;
    case '.?':
    case '[?]':
    case 'map':
      throw new TypeError(`expressions have no ${node.op}`);
    default: {
      const [left, right] = node.args;
      const order = orderFunction(node);
      if (order !== undefined) return `${order}(${textOfNode(left)}, ${textOfNode(right)})`;
      return `${operand(left)} ${node.op} ${operand(right)}`;
    }
  }
}

/** `has` takes a member as it is, so names and what follows them keep without parentheses. */
function operand(node: ASTNode): string {
  const text = textOfNode(node);
  return node.op === 'id' || node.op === '.' ? text : `(${text})`;
}
