import type { Statement } from '../../access/port.ts';
import { Problem } from '../../lib/problem.ts';
import { type RecordData, systemData } from '../../records/port.ts';
import type { Item } from '../../store/port.ts';
import type { Workspace } from '../../tenancy/port.ts';
import { groupLink, type LinkKind, linksTo, policyLink } from '../members/links.ts';
import { isServicePrincipal } from '../members/member.ts';
import { adminPolicy, groupsWith, readRecords } from '../policies/held-policies.ts';

/** The loss by a write: a link, a group's hold on the policy, or a person. */
type Loss =
  | { readonly kind: 'link'; readonly id: string }
  | { readonly kind: 'group'; readonly id: string }
  | { readonly kind: 'user'; readonly id: string };

/**
 * Refuses a write after which no active person would hold `adminacl`, directly or through a group. Read after the
 * policy epoch, so that two admins who remove each other at once do not both find the other one.
 * @throws Problem `last_admin`.
 */
export async function keepAnAdmin(workspace: Workspace, adminPolicyId: string, loss: Loss): Promise<void> {
  const budget: LinkBudget = { linksLeft: linksReadMax };
  const direct = { kind: policyLink, id: adminPolicyId };
  if (await hasActiveHolder(workspace, direct, { loss, budget })) return;
  for (const group of await groupsWith(workspace.scope, adminPolicyId, groupsReadMax)) {
    const { id } = systemData(group);
    const isLost = loss.kind === 'group' && loss.id === id;
    if (!isLost && (await hasActiveHolder(workspace, { kind: groupLink, id }, { loss, budget }))) return;
  }
  throw new Problem('last_admin', `the last active holder of policy \`${adminPolicy}\` cannot lose it`);
}

/** The policy of the admins stays what it is, since a change of it takes it from all of them at once. */
export function keepAdminPolicy(
  before: RecordData,
  after: RecordData | undefined,
  statements: readonly Statement[],
): void {
  if (before.name !== adminPolicy) return;
  const enforced = statements.filter(({ Mode }) => Mode === undefined);
  const isWhole =
    enforced.every(({ Effect }) => Effect === 'Allow') &&
    enforced.some(
      ({ Action, Resource, Condition, Fields }) =>
        Action.includes('*') && Resource.includes('*') && Condition === undefined && Fields === undefined,
    );
  if (after?.name === adminPolicy && isWhole) return;
  throw new Problem(
    'last_admin',
    `policy \`${adminPolicy}\` stays, under its name, with an Allow of \`*\` on \`*\` and no Deny`,
  );
}

/** Past these, holders are not looked for: then the write is refused, as though there were none. */
const linksReadMax = 1000;
const groupsReadMax = 100;
const linksAtOnce = 50;

interface LinkBudget {
  linksLeft: number;
}

interface Search {
  readonly loss: Loss;
  readonly budget: LinkBudget;
}

async function hasActiveHolder(
  workspace: Workspace,
  through: { readonly kind: LinkKind; readonly id: string },
  { loss, budget }: Search,
): Promise<boolean> {
  let after: string | undefined;
  while (budget.linksLeft > 0) {
    const place = after === undefined ? {} : { after };
    const links = await linksTo(workspace.scope, through.kind, { id: through.id, limit: linksAtOnce, ...place });
    const holders = links.map(({ item }) => holderOf(item, loss)).filter((id) => id !== undefined);
    if ((await readRecords(workspace, 'user', holders)).some(isActivePerson)) return true;
    if (links.length < linksAtOnce) return false;
    budget.linksLeft -= links.length;
    after = links.at(-1)?.sk;
  }
  return false;
}

function holderOf(link: Item, loss: Loss): string | undefined {
  const data = systemData(link);
  const isLost = (loss.kind === 'link' && loss.id === data.id) || (loss.kind === 'user' && loss.id === data.user_id);
  return isLost ? undefined : String(data.user_id);
}

/** A server that holds the policy does not count: it cannot be asked to let others in. */
function isActivePerson(user: Item): boolean {
  const data = systemData(user);
  return data.status === 'active' && !isServicePrincipal(data);
}
