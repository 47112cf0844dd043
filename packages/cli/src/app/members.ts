import { domainToASCII } from 'node:url';
import { CommandError } from '../frame/command-error.ts';
import type { Context } from '../frame/context.ts';

export interface WorkspaceOf {
  readonly env: 'test' | 'prod';
  readonly workspace: string;
}

const guid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id of a member by email, or the id itself. @throws CommandError where there is no such member. */
export async function memberByEmail(context: Context, place: WorkspaceOf, who: string): Promise<string> {
  if (guid.test(who)) return who.toLowerCase();
  const member = await findMember(context, place, who);
  if (member !== undefined) return member.user_id;
  throw new CommandError(`workspace \`${place.workspace}\` has no member \`${who}\` in ${place.env}`, {
    code: 'not_found',
    next: 'the email is that of the account, in full; `--workspace` names another workspace',
  });
}

/** By case, and by a domain in Unicode or Punycode, one address has many spellings. */
function isSameAddress(one: string, other: string): boolean {
  return plainForm(one) === plainForm(other);
}

function plainForm(email: string): string {
  const [local = '', domain = ''] = email.normalize('NFC').toLowerCase().split('@');
  return `${local}@${domainToASCII(domain) || domain}`;
}

/** @returns undefined where no member has this email. */
export async function findMember(context: Context, { env, workspace }: WorkspaceOf, email: string) {
  let nexttoken: string | undefined;
  do {
    const page = await context.management().call('listMembers', {
      query: { env, tenant_code: workspace, q: email, ...(nexttoken === undefined ? {} : { nexttoken }) },
    });
    const found = page.items.find((member) => member.email !== undefined && isSameAddress(member.email, email));
    if (found !== undefined) return found;
    nexttoken = page.nexttoken ?? undefined;
  } while (nexttoken !== undefined);
  return undefined;
}
