import { Group } from '@mantine/core';
import { useState } from 'react';
import { MemberSelect } from '../../components/member-select.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';

interface Props {
  readonly workspace: string;
  readonly label: string;
  /** Why no member can be added. */
  readonly reason: string | undefined;
  readonly isAdding: boolean;
  readonly onAdd: (userId: string) => Promise<unknown>;
}

/** Finds a member of the workspace, and adds the chosen member. */
export function AddMember({ workspace, label, reason, isAdding, onAdd }: Props) {
  const [chosen, setChosen] = useState<string>();
  if (reason !== undefined) return null;
  return (
    <Group gap="xs" align="flex-end">
      <MemberSelect workspace={workspace} label={label} member={chosen} isClearable maw={360} onChange={setChosen} />
      <ReasonedButton
        reason={chosen === undefined ? 'Choose a member first.' : undefined}
        loading={isAdding}
        onClick={() => {
          if (chosen === undefined) return;
          void onAdd(chosen).then(
            () => setChosen(undefined),
            () => undefined,
          );
        }}
      >
        Add
      </ReasonedButton>
    </Group>
  );
}
