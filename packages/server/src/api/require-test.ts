import { Problem } from '../lib/problem.ts';

/** Builders change the test environment alone. @throws Problem `prod_read_only`. */
export function requireTest(env: 'test' | 'prod'): void {
  if (env === 'prod') throw new Problem('prod_read_only', 'production is read-only: change it in test and deploy');
}
