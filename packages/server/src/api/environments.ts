import { Problem } from '../lib/problem.ts';

/** Builders change the test environment alone. @throws Problem `prod_read_only`. */
export function requireTest(env: 'test' | 'prod'): void {
  if (env === 'prod') throw new Problem('prod_read_only', 'production is read-only: change it in test and deploy');
}

/** @throws Problem `conflict` where the org has no production yet. */
export function requireProd({ org }: { readonly org: { readonly environments: { readonly prod: unknown } } }): void {
  if (org.environments.prod === null)
    throw new Problem('conflict', 'production is not provisioned: call `POST /user/provision-prod` first');
}
