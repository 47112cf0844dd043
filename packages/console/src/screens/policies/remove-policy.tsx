import { Text } from '@mantine/core';
import { countOf, type Policy } from './queries.ts';
import { RemoveAccess } from './remove-access.tsx';
import { useReadOnlyReason } from './use-builder.ts';

/** Removes a policy, after saying whom it is taken from. */
export function RemovePolicy({ policy }: { readonly policy: Policy }) {
  const readOnlyReason = useReadOnlyReason();
  const { id, name, members, groups, held_by } = policy;
  const names = held_by.map((group) => group.name).join(', ');
  const isOfAdmins = name === 'adminacl';
  return (
    <RemoveAccess
      entity="aclpolicy"
      id={id}
      name={name}
      what="policy"
      list="policies"
      reason={
        readOnlyReason ??
        (isOfAdmins ? 'Every workspace keeps the policy of its admins.' : undefined) ??
        (groups > 0 ? `Groups hold it: take it out of ${names} first.` : undefined)
      }
    >
      <Text size="sm">
        {members === 0
          ? 'No member holds it, so no member loses anything.'
          : `It is taken from ${countOf(members)} ${members === 1 ? 'member' : 'members'} at once. What they may do by it alone, they may do no more; what it denied them, other policies may allow them.`}
      </Text>
    </RemoveAccess>
  );
}
