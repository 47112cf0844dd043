import { notFound, Problem } from '../lib/problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A route's pattern: segments that stand as they are, and `:name` for any one segment. */
export interface RoutePattern {
  readonly method: Method;
  readonly path: string;
}

export interface Match<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

interface Node<R> {
  readonly literals: Map<string, Node<R>>;
  parameter: { readonly name: string; readonly node: Node<R> } | undefined;
  readonly routes: Map<string, R>;
}

/** Finds the route of a canonical path: a literal segment beats a parameter, and no path matches two routes. */
export function createRouter<R extends RoutePattern>(routes: readonly R[]) {
  const root = newNode<R>();
  for (const route of routes) insert(root, route);
  return {
    /** @throws Problem `not_found`, or `method_not_allowed` with what is allowed. */
    match: (method: string, path: string): Match<R> => {
      const params: Record<string, string> = {};
      const node = walk(root, path, params);
      const route = node?.routes.get(method);
      if (route !== undefined) return { route, params };
      if (node === undefined || node.routes.size === 0) throw notFound();
      const allow = [...node.routes.keys()].join(', ');
      throw new Problem('method_not_allowed', `this route takes ${allow}`, { allow });
    },
  };
}

function newNode<R>(): Node<R> {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}

function insert<R extends RoutePattern>(root: Node<R>, route: R): void {
  let node = root;
  for (const segment of route.path.split('/').slice(1)) node = child(node, segment);
  if (node.routes.has(route.method)) throw new TypeError(`two routes for ${route.method} ${route.path}`);
  node.routes.set(route.method, route);
}

function child<R>(node: Node<R>, segment: string): Node<R> {
  if (segment.startsWith(':')) {
    const name = segment.slice(1);
    node.parameter ??= { name, node: newNode<R>() };
    if (node.parameter.name !== name) throw new TypeError(`two names for one place: ${name}`);
    return node.parameter.node;
  }
  const next = node.literals.get(segment) ?? newNode<R>();
  node.literals.set(segment, next);
  return next;
}

function walk<R>(root: Node<R>, path: string, params: Record<string, string>): Node<R> | undefined {
  let node: Node<R> | undefined = root;
  let start = 1;
  while (node !== undefined && start <= path.length) {
    const slash = path.indexOf('/', start);
    const end = slash === -1 ? path.length : slash;
    const segment = path.slice(start, end);
    const literal: Node<R> | undefined = node.literals.get(segment);
    if (literal === undefined && node.parameter !== undefined) {
      params[node.parameter.name] = segment;
      node = node.parameter.node;
    } else node = literal;
    start = end + 1;
  }
  return node;
}
