import { Text } from '@mantine/core';
import { countOf, type Policy } from './queries.ts';
import { RemoveAccess } from './remove-access.tsx';
import { useReadOnlyReason } from './use-builder.ts';

/** Removes a policy, after saying who holds it. */
export function RemovePolicy({ policy }: { readonly policy: Policy }) {
  const readOnlyReason = useReadOnlyReason();
  const { id, name, members, groups, held_by } = policy;
  const names = held_by.map((group) => group.name).join(', ');
  const holders = [
    ...(members === 0 ? [] : [`${countOf(members)} ${members === 1 ? 'member' : 'members'}`]),
    ...(groups === 0 ? [] : [`${groups === 1 ? 'the group' : 'the groups'} ${names}`]),
  ];
  const isOne = members + groups === 1;
  const isOfAdmins = name === 'adminacl';
  return (
    <RemoveAccess
      entity="aclpolicy"
      id={id}
      name={name}
      what="policy"
      list="policies"
      reason={readOnlyReason ?? (isOfAdmins ? 'Every workspace keeps the policy of its admins.' : undefined)}
    >
      <Text size="sm">
        {members === 0 && groups === 0
          ? 'No member holds it, so no member loses anything.'
          : `${holders.join(' and ')} ${isOne ? 'holds' : 'hold'} it. What they may do by it alone, they may do no more; what it denied them, other policies may allow them.`}
      </Text>
    </RemoveAccess>
  );
}
