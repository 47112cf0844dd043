import { Problem } from '../../lib/problem.ts';
import type { Environment } from '../../tenancy/port.ts';

/** The parameters named, of which those first named must be there, and the environment. @throws Problem `invalid_request`. */
export function readParameters<N extends string>(
  query: ReadonlyMap<string, string>,
  needed: readonly N[],
  optional: readonly N[] = [],
): { readonly env: Environment } & Readonly<Partial<Record<N, string>>> {
  const names: readonly string[] = [...needed, ...optional];
  for (const name of query.keys())
    if (name !== 'env' && !names.includes(name))
      throw new Problem('invalid_request', `unknown parameter \`${name.slice(0, 100)}\``);
  const env = query.get('env') ?? 'test';
  if (env !== 'test' && env !== 'prod') throw new Problem('invalid_request', '`env` must be `test` or `prod`');
  const read: Partial<Record<string, string>> = {};
  for (const name of needed)
    if ((query.get(name) ?? '') === '') throw new Problem('invalid_request', `the parameter \`${name}\` is needed`);
  for (const name of names) read[name] = query.get(name);
  return { env, ...(read as Partial<Record<N, string>>) };
}

/** Builders change the test environment alone. @throws Problem `prod_read_only`. */
export function requireTest(query: ReadonlyMap<string, string>): void {
  if (query.get('env') === 'prod')
    throw new Problem('prod_read_only', 'production is read-only: change it in test and deploy');
}

/** @throws Problem `invalid_request`. */
export function readFlag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === 'true' || value === 'false') return value === 'true';
  throw new Problem('invalid_request', `\`${name}\` must be \`true\` or \`false\``);
}
