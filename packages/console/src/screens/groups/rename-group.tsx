import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ApiProblem } from '../../api/problem.ts';
import { ProblemAlert } from '../../components/problem-alert.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { GroupDetails } from '../policies/queries.ts';
import { useReadOnlyReason } from '../policies/use-builder.ts';
import { useSaveGroup } from './save-group.ts';

/** Gives a group another name. */
export function RenameGroup({ group }: { readonly group: GroupDetails }) {
  const readOnlyReason = useReadOnlyReason();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <ReasonedButton reason={readOnlyReason} variant="default" onClick={() => setIsOpen(true)}>
        Rename
      </ReasonedButton>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={`Rename ${group.name}`}>
        {isOpen && <NameForm group={group} close={() => setIsOpen(false)} />}
      </Modal>
    </>
  );
}

function NameForm({ group, close }: { readonly group: GroupDetails; readonly close: () => void }) {
  const [name, setName] = useState(group.name);
  const save = useSaveGroup(group);
  const problem = save.error instanceof ApiProblem ? save.error : undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ name }, { onSuccess: close });
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          value={name}
          error={problem?.errorAt('/name')}
          required
          data-autofocus
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <ProblemAlert error={save.error} shownAtFields={['/name']} />
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <ReasonedButton
            reason={
              name.trim() === '' ? 'The group needs a name.' : name === group.name ? 'The name is the same.' : undefined
            }
            type="submit"
            loading={save.isPending}
          >
            Rename
          </ReasonedButton>
        </Group>
      </Stack>
    </form>
  );
}
