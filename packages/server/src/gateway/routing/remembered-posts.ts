import type { Route } from '@freehold/contract/route';

/** Whether the gateway remembers the answer of a route: of every POST, unless its description says otherwise. */
export function isRemembered({ method, route }: { readonly method: string; readonly route?: Route }): boolean {
  return method === 'POST' && route !== undefined && route.repeats === undefined;
}
