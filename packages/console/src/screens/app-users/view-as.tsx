import { Modal, Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { meQuery, usePlace } from '../../api/session.ts';
import { keepViewReason } from '../../api/view-reason.ts';
import { ReasonForm } from '../../components/reason-form.tsx';
import { ReasonedButton } from '../../components/reasoned-button.tsx';
import type { AppUserDetails } from './queries.ts';

/** Opens the records of a workspace in the name of the user. */
export function ViewAs({ user }: { readonly user: AppUserDetails }) {
  const { env, adminReason } = usePlace();
  const [isOpen, setIsOpen] = useState(false);
  const places = user.memberships.filter(({ status }) => status === 'active').map(({ tenant_code }) => tenant_code);
  const reason =
    user.disabled !== null
      ? 'The account is disabled, so no call is made in the user’s name.'
      : places.length === 0
        ? 'The user is an active member of no workspace.'
        : env === 'prod'
          ? adminReason
          : undefined;
  return (
    <>
      <ReasonedButton reason={reason} variant="default" onClick={() => setIsOpen(true)}>
        View as
      </ReasonedButton>
      <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={`View as ${user.email}`} keepMounted={false}>
        <ViewAsForm user={user} places={places} onClose={() => setIsOpen(false)} />
      </Modal>
    </>
  );
}

interface FormProps {
  readonly user: AppUserDetails;
  /** The codes of the workspaces that let the user in. */
  readonly places: readonly string[];
  readonly onClose: () => void;
}

const nothingSent = { isPending: false, error: null };

function ViewAsForm({ user: { id }, places, onClose }: FormProps) {
  const { org, env, workspace: chosen } = usePlace();
  const navigate = useNavigate();
  const [workspace, setWorkspace] = useState(chosen !== undefined && places.includes(chosen) ? chosen : places[0]);
  const { data: me } = useQuery(meQuery);
  const view = (reason: string): void => {
    if (me !== undefined) keepViewReason({ org, env, user: id }, { by: me.user.id, reason });
    void navigate({
      to: '/o/$org/$env/records',
      params: { org, env },
      search: (kept: object) => ({ ...kept, w: workspace, u: id }) as never,
    });
  };
  return (
    <ReasonForm
      action="View as this user"
      missing={workspace === undefined ? 'Choose a workspace first.' : undefined}
      work={nothingSent}
      onSend={view}
      onClose={onClose}
    >
      <Stack gap="xs">
        <Text size="sm">
          {env === 'prod'
            ? 'Records and API show what this user may read, for 15 minutes at a time. Nothing can be changed.'
            : 'Records and API do what this user may do, in the user’s name, for 15 minutes at a time.'}
        </Text>
        <Select
          label="Workspace"
          data={[...places]}
          value={workspace ?? null}
          allowDeselect={false}
          onChange={(code) => setWorkspace(code ?? undefined)}
        />
      </Stack>
    </ReasonForm>
  );
}
