import { Problem } from '../lib/problem.ts';
import type { Environment } from '../tenancy/port.ts';

/** Builders change the test environment alone. @throws Problem `prod_read_only`. */
export function requireTest(env: Environment): void {
  if (env === 'prod') throw new Problem('prod_read_only', 'production is read-only: change it in test and deploy');
}
