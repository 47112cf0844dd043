import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';

/** The code of the app's only workspace. @throws CommandError where there is none, or where there are several. */
export async function onlyWorkspace(context: Context, env: 'test' | 'prod'): Promise<string> {
  const { items } = await context.management().call('listOrgWorkspaces', { query: { env, pagesize: 10 } });
  const [first, second] = items;
  if (first !== undefined && second === undefined) return first.code;
  const codes = items.map(({ code }) => `\`${code}\``).join(', ');
  throw first === undefined
    ? new CommandError(`the app has no workspace in ${env}`, {
        code: 'no_workspace',
        next: 'sign in to the app once, which founds it, or name users in seeds/users.yaml and run `freehold seed`',
      })
    : new CommandError(`the app has several workspaces: ${codes}${items.length === 10 ? ', …' : ''}`, {
        code: 'wrong_usage',
        next: 'name one with `--workspace CODE`',
      });
}
