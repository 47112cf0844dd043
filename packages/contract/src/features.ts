import * as features from './features/features.ts';
import type { Route } from './route.ts';

/** What a feature adds to the API. */
interface Feature {
  readonly app?: Readonly<Record<string, Route>>;
  readonly management?: Readonly<Record<string, Route>>;
  /** Kinds of config items. */
  readonly kinds?: readonly string[];
}

type Part<P extends keyof Feature> = {
  [Name in keyof typeof features]: (typeof features)[Name] extends { readonly [Key in P]: infer R } ? R : never;
}[keyof typeof features];

type Both<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;

const all: readonly Feature[] = Object.values(features);

/** The routes of all features at one gateway. */
export function routesOfFeatures<G extends 'app' | 'management'>(gateway: G): Both<Part<G>> {
  return Object.assign({}, ...all.map((feature) => feature[gateway] ?? {}));
}

export const kindsOfFeatures = all.flatMap(
  ({ kinds }) => kinds ?? [],
) as readonly unknown[] as readonly Part<'kinds'>[number][];
