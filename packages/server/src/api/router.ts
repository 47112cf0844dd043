import type { Route } from '@freehold/contract/route';
import { notFound, Problem } from '../lib/problem.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A route's pattern: segments that stand as they are, and `:name` for any one segment. */
export interface RoutePattern {
  /** Its description; a route of records is described for each entity. */
  readonly route?: Route;
  readonly method: Method;
  readonly path: string;
  /** It changes what has an entity tag, and reads what a caller says of that. */
  readonly takesTags?: true;
  readonly compressed?: Route['compressed'];
}

export interface Match<R> {
  readonly route: R;
  readonly params: Readonly<Record<string, string>>;
}

interface RouteNode<R> {
  readonly literals: Map<string, RouteNode<R>>;
  parameter: { readonly name: string; readonly node: RouteNode<R> } | undefined;
  readonly routes: Map<string, R>;
}

/**
 * Finds the route of a canonical path. Where a segment matches both a literal and a parameter, the route with the
 * literal wins; the other is found by the methods that the first does not take.
 */
export function createRouter<R extends RoutePattern>(routes: readonly R[]) {
  const root = newNode<R>();
  for (const route of routes) insert(root, route);
  return {
    /** @throws Problem `not_found`, or `method_not_allowed` with what is allowed. */
    match: (method: string, path: string): Match<R> => {
      const params: Record<string, string> = {};
      // A HEAD is a GET whose reply is sent without its body (RFC 9110, 9.3.2).
      const wanted = method === 'HEAD' ? 'GET' : method;
      const route = walk(root, path, params)?.routes.get(wanted);
      if (route !== undefined) return { route, params };
      const reached = [...walkAll(root, path.split('/').slice(1))];
      for (const { node, params } of reached) {
        const other = node.routes.get(wanted);
        if (other !== undefined) return { route: other, params };
      }
      const methods = new Set(reached.flatMap(({ node }) => [...node.routes.keys()]));
      if (methods.size === 0) throw notFound();
      const allow = [...methods].map((one) => (one === 'GET' ? 'GET, HEAD' : one)).join(', ');
      throw new Problem('method_not_allowed', `this route takes ${allow}`, { allow });
    },
  };
}

function newNode<R>(): RouteNode<R> {
  return { literals: new Map(), parameter: undefined, routes: new Map() };
}

function insert<R extends RoutePattern>(root: RouteNode<R>, route: R): void {
  let node = root;
  for (const segment of route.path.split('/').slice(1)) node = child(node, segment);
  if (node.routes.has(route.method)) throw new TypeError(`two routes for ${route.method} ${route.path}`);
  node.routes.set(route.method, route);
}

function child<R>(node: RouteNode<R>, segment: string): RouteNode<R> {
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

/** The quick way, which takes the first turn that fits and never goes back. */
function walk<R>(root: RouteNode<R>, path: string, params: Record<string, string>): RouteNode<R> | undefined {
  let node: RouteNode<R> | undefined = root;
  let start = 1;
  while (node !== undefined && start <= path.length) {
    const slash = path.indexOf('/', start);
    const end = slash === -1 ? path.length : slash;
    const segment = path.slice(start, end);
    const literal: RouteNode<R> | undefined = node.literals.size === 0 ? undefined : node.literals.get(segment);
    if (literal === undefined && node.parameter !== undefined) {
      params[node.parameter.name] = segment;
      node = node.parameter.node;
    } else node = literal;
    start = end + 1;
  }
  return node;
}

interface MatchedNode<R> {
  readonly node: RouteNode<R>;
  readonly params: Readonly<Record<string, string>>;
}

/** Every place that a path may mean, those with more literal segments at the front first. */
function* walkAll<R>(
  node: RouteNode<R>,
  segments: readonly string[],
  params: MatchedNode<R>['params'] = {},
): Generator<MatchedNode<R>> {
  const [segment, ...rest] = segments;
  if (segment === undefined) {
    yield { node, params };
    return;
  }
  const literal = node.literals.get(segment);
  if (literal !== undefined) yield* walkAll(literal, rest, params);
  const { parameter } = node;
  if (parameter !== undefined) yield* walkAll(parameter.node, rest, { ...params, [parameter.name]: segment });
}
